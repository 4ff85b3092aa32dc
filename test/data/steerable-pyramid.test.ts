import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { splitIntoSteerablePyramid } from "../../src/wavelets/steerable-pyramid.js";
import { expectClose } from "../support/expect-close.js";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

interface Golden {
  readonly image: readonly (readonly number[])[];
  readonly bands: readonly { readonly name: string; readonly values: number[][] }[];
}

describe.skipIf(!hasSharedData)("splitIntoSteerablePyramid", () => {
  test("gives the bands of the original program to 1e-10", () => {
    const path = join(sharedPath, "golden/steerable-pyramid.json");
    const golden = JSON.parse(readFileSync(path, "utf8")) as Golden;
    const [height, width] = [golden.image.length, golden.image[0].length];
    const pixels = Float64Array.from(golden.image.flat());
    const { highpass, bands, lowpass } = splitIntoSteerablePyramid(
      { width, height, pixels },
      { orientations: 4, scales: 2 },
    );
    const all = [highpass, ...bands.flat(), lowpass];
    expect(all).toHaveLength(golden.bands.length);
    for (const [k, { name, values }] of golden.bands.entries()) {
      expect([all[k].width, all[k].height]).toEqual([values[0].length, values.length]);
      // The ramp's frequencies all point along the axes, where the program's table of directions is
      // within 1e-11.
      expectClose(all[k].values, values.flat(), { absolute: 1e-10 }, name);
    }
  });
});
