/** Job: the place of one pair after a transform, and the terms of its log-density (paper eq. 1). */
import { gaussianize } from "../../src/density/induced-density.js";
import { portableLog } from "../../src/numbers/logarithm.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { Cascade } from "../../src/transforms/transform.js";
import type { Job } from "../compute/job.js";

export type Point = readonly [number, number];

export interface MovedPoint {
  readonly x: Point;
  readonly y: Point;
  /** log N(y; 0, I), in nats. */
  readonly logNormal: number;
  /** log |det ∂y/∂x|, in nats. */
  readonly logDeterminant: number;
}

interface PointToMove {
  readonly transform: Cascade;
  readonly x: Point;
}

export const movePoint: Job<PointToMove, MovedPoint> = async ({ transform, x }, { runner }) => {
  const inline = new InlineRunner(runner.kernels);
  const { y, logDeterminant } = await gaussianize(inline, transform, Float64Array.from(x));
  return {
    x,
    y: [y[0], y[1]],
    logNormal: -(y[0] * y[0] + y[1] * y[1]) / 2 - portableLog(2 * Math.PI),
    logDeterminant: logDeterminant[0],
  };
};
