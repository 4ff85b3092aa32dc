import { describe, expect, test } from "vitest";
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
import { requireChecked } from "../../src/transforms/checked-transform.js";
import { expectError, refusal } from "../support/expect-error.js";

const bank = startingConvolution({ maps: 4, width: 3 });
const shift = affine({ dimension: 4, shift: [1, 2, 3, 4] });
const layer = startingGdn({ structure: "column", dimension: 4 });

describe("an image cascade", () => {
  const made = imageCascade({ stride: 2, stages: [cascade([shift, layer]), bank, bank, layer] });

  test("flattens cascades, and combines consecutive per-location stages", () => {
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

  test("survives structured clone, and is checked again after it", () => {
    expect(requireImageCascade(structuredClone(made))).toEqual(made);
    const stages = [{ ...bank, maps: 5 }];
    expectError(() => requireImageCascade({ ...made, stages }), {
      code: "invalid-argument",
      argument: "weights",
    });
  });

  test("rejects invalid parameters", () => {
    expect(() => imageCascade({ stride: 3, stages: [bank] })).toThrow(
      refusal("stage 0", "have 9 maps, stride squared", 4),
    );
    expect(() => imageCascade({ stride: 2, stages: [] })).toThrow("a list of at least one");
    expect(() => imageCascade({ stride: 0, stages: [bank] })).toThrow("the stride");
    expect(() => imageCascade({ stride: 2, stages: [{ kind: "convolve" } as never] })).toThrow(
      "the kind of a transform",
    );
    expectError(() => requireImageCascade(bank as unknown as ImageCascade), {
      code: "invalid-argument",
      argument: "an image cascade",
    });
    expectError(() => requireConvolution(layer as never), {
      code: "invalid-argument",
      argument: "a convolution",
    });
    // It is not a transform of samples.
    expectError(() => requireChecked(made as never), {
      code: "invalid-argument",
      phrase: '"image-cascade"',
    });
  });
});
