import { describe, expect, test } from "vitest";
import { imageResponses } from "../../src/density/images/image-responses.js";
import { gainsOn, receptiveFields } from "../../src/evaluation/receptive-fields.js";
import { affine } from "../../src/transforms/affine.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { expectClose } from "../support/expect-close.js";
import { sentenceOf } from "../support/expect-error.js";
import { noiseImage, randomConvolution, smallCascade } from "../support/image-models.js";
import { referenceRunner } from "../support/inline-runners.js";

const stride = 2;
const scale = [2, -1, 0.5, 3];
/** The middle is linear, so receptive fields give its responses exactly. */
const linearCascade = imageCascade({
  stride,
  stages: [
    randomConvolution(4, { width: 2, height: 3, left: -1, top: 0 }),
    affine({ dimension: 4, scale, shift: [1, 2, 3, 4] }),
    randomConvolution(4, { width: 3, height: 2, left: 0, top: -1 }),
  ],
});
const image = noiseImage(16, 12);

describe("receptive fields of the second convolution", () => {
  test("give the responses of a cascade that is linear between its convolutions", async () => {
    const gains = await gainsOn(referenceRunner, linearCascade, image);
    expectClose(gains, scale, { relative: 1e-9 });
    const fields = await receptiveFields(linearCascade, gains);
    expect([fields.count, fields.width, fields.height]).toEqual([4, 8, 8]);
    const impulse = { width: 16, height: 16, pixels: new Float64Array(256) };
    const flat = await imageResponses(referenceRunner, linearCascade, impulse);
    const [row, column] = [9, 6];
    impulse.pixels[row * 16 + column] = 1;
    const lit = await imageResponses(referenceRunner, linearCascade, impulse);
    const [before, after] = [flat[2], lit[2]];
    // Taps begin at (−1, 0) + (0, −1) blocks from the location, which is block (3, 4).
    const [left, top] = [(3 - 1) * stride, (4 - 1) * stride];
    for (let k = 0; k < 4; k++) {
      const at = (4 * after.width + 3) * 4 + k;
      const weight = fields.values[(k * 8 + row - top) * 8 + column - left];
      // Receptive fields are Float32.
      expect(after.values[at] - before.values[at]).toBeCloseTo(weight, 6);
    }
  });

  test("are means over squares of pixels if they are shrunk", async () => {
    const gains = [1, 2, 3, 4];
    const [whole, half] = await Promise.all([
      receptiveFields(linearCascade, gains),
      receptiveFields(linearCascade, gains, { shrink: 2 }),
    ]);
    expect([half.width, half.height]).toEqual([4, 4]);
    const means = Array.from(half.values, (_, k) => {
      const [filter, row, column] = [Math.floor(k / 16), Math.floor(k / 4) % 4, k % 4];
      const at = (r: number, c: number): number =>
        whole.values[(filter * 8 + 2 * row + r) * 8 + 2 * column + c];
      return (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4;
    });
    expectClose(half.values, means, { absolute: 1e-6 });
    expect(await sentenceOf(receptiveFields(linearCascade, gains, { shrink: 3 }))).toContain(
      "divide the stride, 2",
    );
  });

  test("have positive gains for a GDN, and end when asked to", async () => {
    const gains = await gainsOn(referenceRunner, smallCascade, image);
    expect(gains.every((gain) => gain > 0)).toBe(true);
    let calls = 0;
    const beforeFilter = (): Promise<void> =>
      ++calls === 3 ? Promise.reject(new Error("enough")) : Promise.resolve();
    await expect(receptiveFields(smallCascade, gains, { beforeFilter })).rejects.toThrow("enough");
    expect(calls).toBe(3);
  });

  test("need two convolutions", async () => {
    const one = imageCascade({ stride, stages: linearCascade.stages.slice(0, 2) });
    expect(await sentenceOf(receptiveFields(one, scale))).toContain("two convolutions");
  });
});
