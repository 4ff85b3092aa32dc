import { describe, expect, test } from "vitest";
import {
  patchDimension,
  samplesToPatches,
  patchesToSamples,
} from "../../src/patches/patch-layout.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

const [whole, centred] = [
  { size: 3, removeMean: false },
  { size: 3, removeMean: true },
];
const patches = createRandom(seed, "layout").normalFill(new Float32Array(9 * 20));

describe("a patch with its mean", () => {
  test("is a sample as it is", () => {
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

  test.each([0, 1.5, 65, NaN])("a side of %d is refused", (size) => {
    expect(() => patchDimension({ size, removeMean: false })).toThrow(
      `Expected the side of a patch to be an integer from 1 to 64 but received ${size}.`,
    );
  });

  test("of one pixel nothing is left", () => {
    expect(() => patchDimension({ size: 1, removeMean: true })).toThrow("be at least 2");
  });
});
