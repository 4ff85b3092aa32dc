/** The jobs of the start page, in Node: what its figures say is true. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type CloudFrame, fitStory } from "../../../lab/panels/start/cloud-job.js";
import { filterSide, filters, placeIn } from "../../../lab/panels/start/filters.js";
import { cleanedOf } from "../../../lab/panels/start/noise-job.js";
import { storyOf } from "../../../lab/panels/start/responses-job.js";
import { decodeImage } from "../../../node/decode-image.js";
import { simdRunner } from "../../support/inline-runners.js";

const photograph = fileURLToPath(
  new URL("../../../lab/panels/start/photograph.webp", import.meta.url),
);
const image = await decodeImage(photograph, "grey");
const data = storyOf(image);
const job = { runner: simdRunner, signal: new AbortController().signal };

/** Mean of a product of powers of the components: E |a|^i |b|^j. */
function moment(pairs: Float32Array, i: number, j: number): number {
  let sum = 0;
  for (let k = 0; k < pairs.length; k += 2) {
    sum += Math.abs(pairs[k]) ** i * Math.abs(pairs[k + 1]) ** j;
  }
  return (2 * sum) / pairs.length;
}

function correlation(pairs: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < pairs.length; k += 2) sum += pairs[k] * pairs[k + 1];
  return (2 * sum) / pairs.length;
}

describe("the responses of the start page", () => {
  test("are zero for a flat picture, whatever its grey", () => {
    for (const filter of filters) {
      expect(filter.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(0, 12);
    }
  });

  test("have variance 1, heavy tails, and depend on each other", () => {
    const { pairs } = data.story.responses;
    expect(moment(pairs, 2, 0)).toBeCloseTo(1, 5);
    expect(moment(pairs, 0, 2)).toBeCloseTo(1, 5);
    expect(moment(pairs, 4, 0)).toBeGreaterThan(6);
    expect(Math.abs(correlation(pairs))).toBeLessThan(0.1);
    // 1 for independent responses.
    expect(moment(pairs, 2, 2)).toBeGreaterThan(1.2);
  });

  test("belong to the place under the pointer", () => {
    const { responses } = data.story;
    const { columns, rows } = responses;
    expect([columns, rows]).toEqual([image.width - filterSide + 1, image.height - filterSide + 1]);
    expect(placeIn(responses, { x: 0, y: 0 })).toEqual({ column: 0, row: 0 });
    expect(placeIn(responses, { x: 1, y: 1 })).toEqual({ column: columns - 1, row: rows - 1 });
    expect(placeIn(responses, { x: 0.5, y: 0.5 })).toEqual({ column: 118, row: 78 });
  });
});

describe("the fits of the start page", () => {
  test("make the cloud circular, in visible steps", async () => {
    const frames: CloudFrame[] = [];
    const last = await fitStory(data, { ...job, report: (frame) => frames.push(frame) });
    expect(frames.length).toBeGreaterThan(10);
    expect(moment(last.y, 4, 0)).toBeGreaterThan(2.5);
    expect(moment(last.y, 4, 0)).toBeLessThan(3.5);
    expect(moment(last.y, 2, 2)).toBeGreaterThan(0.85);
    expect(moment(last.y, 2, 2)).toBeLessThan(1.15);
  });

  test("remove noise: the PSNR grows by several decibels", async () => {
    const cleaned = await cleanedOf(image, job);
    expect(cleaned.noisyPsnrInDecibels).toBeCloseTo(20.2, 0);
    expect(cleaned.psnrInDecibels - cleaned.noisyPsnrInDecibels).toBeGreaterThan(4);
  });
});
