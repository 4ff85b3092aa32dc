import { describe, expect, test } from "vitest";
import { filtersOnPixels } from "../../src/figures/filters-on-pixels.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { filterBank } from "../../src/transforms/convolutions/filter-bank.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";

const ramp = (length: number): Float32Array => Float32Array.from({ length }, (_, k) => k - 3.5);

describe("filtersOnPixels", () => {
  test("are the rows of the first H, over whole patches", () => {
    const H = ramp(16).map((value, k) => (k % 5 === 0 ? 4 : 0.01 * value));
    const layer = startingGdn({ structure: "column", dimension: 4, H });
    const model = {
      transform: cascade([affine({ dimension: 4, scale: [1, 2, 3, 4] }), layer]),
      about: { patch: { width: 2, height: 2, removeMean: false } },
    };
    expect(filtersOnPixels(model)).toEqual({ count: 4, width: 2, height: 2, values: H });
  });

  test("are those of the first convolution of a model of images", () => {
    const filters = ramp(4 * 9).map((value, k) => (k % 9 === Math.floor(k / 9) ? 9 : 0.1 * value));
    const bank = filterBank(filters, { stride: 2, support: 3 });
    const model = {
      transform: imageCascade({ stride: 2, stages: [bank] }),
      about: { patch: { width: 2, height: 2, removeMean: false } },
    };
    const found = filtersOnPixels(model);
    expect(found).toMatchObject({ count: 4, width: 4, height: 4 });
    // Padded with 0 at the right and below.
    expect(Array.from(found?.values.slice(0, 4) ?? [])).toEqual([...filters.slice(0, 3), 0]);
  });

  test("are undefined without filters, or without the layout of a patch", () => {
    const plain = affine({ dimension: 4, scale: [1, 2, 3, 4] });
    const patch = { width: 2, height: 2, removeMean: false };
    expect(filtersOnPixels({ transform: plain, about: { patch } })).toBeUndefined();
    const H = ramp(16).map((value, k) => (k % 5 === 0 ? 4 : 0.01 * value));
    const layer = startingGdn({ structure: "column", dimension: 4, H });
    expect(filtersOnPixels({ transform: layer, about: {} })).toBeUndefined();
  });
});
