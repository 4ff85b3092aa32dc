import { describe, expect, test } from "vitest";
import { drawnModel, shownSamples } from "../../lab/panels/patches/hot-samples.js";
import type { Model } from "../../src/density/model-files/model.js";
import { affine } from "../../src/transforms/affine.js";
import { packaged } from "./patches-pixels.js";

const model: Model = {
  transform: affine({ dimension: 4 }),
  about: { patch: { width: 2, height: 2, black: -1, white: 1 } },
};
const dimension = 21;
/** A sample from −5 to 5, and one from −0.5 to 0.5. */
const x = Float32Array.from({ length: 2 * dimension }, (_, k) =>
  k < dimension ? k / 2 - 5 : (k - dimension) / 20 - 0.5,
);

describe("the greys of samples", () => {
  test("are those of photographs up to temperature 1", () => {
    expect(shownSamples(x, model, { temperature: 1, dimension })).toBe(x);
    expect(shownSamples(x, { ...model, about: {} }, { temperature: 1.5, dimension })).toBe(x);
  });

  test("span the central 90 % of each hot sample, and black to white at least", () => {
    const shown = shownSamples(x, model, { temperature: 1.5, dimension });
    expect(shown[1]).toBeCloseTo(-1, 5);
    expect(shown[10]).toBeCloseTo(0, 5);
    expect(shown[19]).toBeCloseTo(1, 5);
    shown.subarray(dimension).forEach((value, k) => {
      expect(value).toBeCloseTo(x[dimension + k], 5);
    });
  });

  test("show hot samples before the preprocessing curve is inverted", async () => {
    const gdn = await packaged("gdn");
    expect(drawnModel(gdn, 1)).toBe(gdn);
    expect(drawnModel(model, 1.5)).toBe(model);
    const before = drawnModel(gdn, 1.5);
    expect(before.transform.dimension).toBe(gdn.transform.dimension);
    expect(before.about.patch?.black).toBe(-2);
  });
});
