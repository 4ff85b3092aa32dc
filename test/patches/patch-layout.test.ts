import { describe, expect, test } from "vitest";
import {
  filtersOnPatches,
  patchDimension,
  samplesToPatches,
  patchesToSamples,
} from "../../src/patches/patch-layout.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const [whole, centred] = [
  { size: 3, removeMean: false },
  { size: 3, removeMean: true },
];
const patches = createRandom(seed, "layout").normalFill(new Float32Array(9 * 20));

describe("a patch with its mean", () => {
  test("is a sample", () => {
    expect(patchDimension(whole)).toBe(9);
    expect(patchesToSamples(patches, whole)).toBe(patches);
    expect(samplesToPatches(patches, whole)).toBe(patches);
  });
});

describe("a patch without its mean", () => {
  test("loses its last pixel, which the others determine", () => {
    expect(patchDimension(centred)).toBe(8);
    const samples = patchesToSamples(patches, centred);
    expect(samples).toHaveLength(8 * 20);
    const back = samplesToPatches(samples, centred);
    for (let s = 0; s < 20; s += 1) {
      const patch = patches.subarray(9 * s, 9 * (s + 1));
      const mean = patch.reduce((sum, value) => sum + value, 0) / 9;
      const expected = patch.map((value) => value - mean);
      // Ten roundings of values up to 4.
      expectClose(back.subarray(9 * s, 9 * (s + 1)), expected, { absolute: 1e-5 });
    }
  });

  test.each([0, 1.5, 1025, NaN])("a side of %d is rejected", (size) => {
    expectError(() => patchDimension({ size, removeMean: false }), {
      code: "invalid-argument",
      argument: "the side of a patch",
      phrase: "1024",
    });
  });

  test("is empty for one pixel, which is rejected", () => {
    expect(() => patchDimension({ size: 1, removeMean: true })).toThrow("be at least 2");
  });
});

describe("filters of samples", () => {
  const H = createRandom(seed, "filters").normalFill(new Float64Array(8 * 5));

  test("are filters of patches if nothing is removed", () => {
    expect(filtersOnPatches(patches, whole)).toBe(patches);
  });

  test("respond to whole patches as to patches without their mean", () => {
    const filters = filtersOnPatches(H, centred);
    expect(filters).toHaveLength(9 * 5);
    const samples = patchesToSamples(patches, centred);
    for (let h = 0; h < 5; h += 1) {
      for (let s = 0; s < 20; s += 1) {
        let [onSample, onPatch] = [0, 0];
        for (let k = 0; k < 8; k += 1) onSample += H[8 * h + k] * samples[8 * s + k];
        for (let k = 0; k < 9; k += 1) onPatch += filters[9 * h + k] * patches[9 * s + k];
        // Samples are rounded to Float32.
        expectClose(onPatch, onSample, { absolute: 1e-5 });
      }
    }
  });

  test("have mean 0 and ignore the mean", () => {
    const filters = filtersOnPatches(H, centred);
    for (let h = 0; h < 5; h += 1) {
      let sum = 0;
      for (let k = 9 * h; k < 9 * h + 9; k += 1) sum += filters[k];
      expectClose(sum, 0, { absolute: 1e-13 });
    }
  });
});

test("rejects an image, a missing layout and incomplete rows", () => {
  const image = { width: 3, height: 3, pixels: new Float32Array(9) } as never;
  const wanted = { code: "invalid-argument", phrase: "Float32Array" } as const;
  expectError(() => patchesToSamples(image, whole), { ...wanted, argument: "patches" });
  expectError(() => samplesToPatches(image, whole), { ...wanted, argument: "samples" });
  expectError(() => patchesToSamples(patches, undefined as never), {
    code: "invalid-argument",
    argument: "the layout",
  });
  expectError(() => patchesToSamples(patches.subarray(1), centred), {
    code: "invalid-argument",
    phrase: "rows of 9 values",
  });
});
