import { describe, expect, it } from "vitest";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { requireConvolution, startingConvolution } from "../../src/transforms/convolution.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import {
  type ImageCascade,
  imageCascade,
  partsOf,
  requireImageCascade,
} from "../../src/transforms/image-cascade.js";
import { requireChecked } from "../../src/transforms/transform.js";

const bank = startingConvolution({ maps: 4, width: 3 });
const shift = affine({ dimension: 4, shift: [1, 2, 3, 4] });
const layer = startingGdn({ structure: "column", dimension: 4 });

describe("an image cascade", () => {
  const made = imageCascade({ stride: 2, stages: [cascade([shift, layer]), bank, bank, layer] });

  it("opens cascades up, and passes runs of per-location stages together", () => {
    expect(made.stages.map(({ kind }) => kind)).toEqual([
      "affine",
      "gdn",
      "convolution",
      "convolution",
      "gdn",
    ]);
    expect(partsOf(made).map(({ first, transform }) => [first, transform.kind])).toEqual([
      [0, "cascade"],
      [2, "convolution"],
      [3, "convolution"],
      [4, "cascade"],
    ]);
  });

  it("survives structured clone, and is checked again after it", () => {
    expect(requireImageCascade(structuredClone(made))).toEqual(made);
    const stages = [{ ...bank, maps: 5 }];
    expect(() => requireImageCascade({ ...made, stages })).toThrow("Expected weights to hold 225");
  });

  it("refuses what is none", () => {
    expect(() => imageCascade({ stride: 3, stages: [bank] })).toThrow(
      "Expected stage 0 to have 9 maps, stride squared but received 4.",
    );
    expect(() => imageCascade({ stride: 2, stages: [] })).toThrow("a list of at least one");
    expect(() => imageCascade({ stride: 0, stages: [bank] })).toThrow("the stride");
    expect(() => imageCascade({ stride: 2, stages: [{ kind: "convolve" } as never] })).toThrow(
      "the kind of a transform",
    );
    expect(() => requireImageCascade(bank as unknown as ImageCascade)).toThrow(
      "Expected an image cascade to be given",
    );
    expect(() => requireConvolution(layer as never)).toThrow("Expected a convolution to be given");
    // Nor is it a transform of samples.
    expect(() => requireChecked(made as never)).toThrow('but received "image-cascade"');
  });
});
