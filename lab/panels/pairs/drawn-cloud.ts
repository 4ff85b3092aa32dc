/** A cloud that the user draws: each touch sprays a few points. */
import { createRandom } from "../../../src/random/random-stream.js";
import type { Point } from "../../plane/plane-job.js";
import { reach } from "../../plane/reach.js";

/** Pairs in the units of the plot, count×2. */
export type Cloud = readonly number[];

/** Fewest points that can be fitted: estimates from fewer mean little. */
export const fewestDrawn = 100;
export const mostDrawn = 5000;
const pointsPerTouch = 6;
const spread = 0.14;
const digits = 1000;

/** Adds points around a place. */
export function sprayed(cloud: Cloud, [x, y]: Point): Cloud {
  const random = createRandom(1, "drawn cloud", cloud.length);
  const added = Array.from({ length: pointsPerTouch }, () => [
    near(x + spread * random.normal()),
    near(y + spread * random.normal()),
  ]).flat();
  return [...cloud, ...added].slice(0, 2 * mostDrawn);
}

/** Rounds, and keeps points inside the plot. */
function near(value: number): number {
  return Math.round(digits * Math.min(reach, Math.max(-reach, value))) / digits;
}

const exampleTouches = 100;

/** Returns an example: a cross, dense in the middle, as responses to edges are. */
export function exampleCloud(): Cloud {
  let cloud: Cloud = [];
  for (let k = 0; k < exampleTouches; k++) {
    const part = (2 * k + 1) / exampleTouches - 1;
    const along = 3 * part * Math.abs(part);
    cloud = sprayed(cloud, k % 2 === 0 ? [along, along] : [along, -along]);
  }
  return cloud;
}
