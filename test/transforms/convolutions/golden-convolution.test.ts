import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { convolvedField } from "../../../src/density/images/convolution-products.js";
import { convolution } from "../../../src/transforms/convolution.js";
import { convolutionDeterminant } from "../../../src/transforms/convolutions/determinant.js";
import { filterBank, filtersOf } from "../../../src/transforms/convolutions/filter-bank.js";
import { invertConvolution } from "../../../src/transforms/convolutions/inverse.js";
import { fieldToImage, imageToField } from "../../../src/transforms/field.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { referenceRunner } from "../../support/inline-runners.js";

/**
 * Cases of test/fixtures/convolution.json, computed by an independent program with the explicit
 * matrix.
 */
interface FixtureCase {
  readonly height: number;
  readonly width: number;
  readonly stride: number;
  readonly support: number;
  /** [k][row][column] */
  readonly filters: readonly (readonly (readonly number[])[])[];
  readonly x: readonly (readonly number[])[];
  /** [k][row of blocks][column of blocks] */
  readonly z: readonly (readonly (readonly number[])[])[];
  readonly logAbsDet: number;
}

const file = new URL("../../fixtures/convolution.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly cases: readonly FixtureCase[];
};

describe("critically sampled filter banks", () => {
  test("are not empty", () => {
    expect(cases).toHaveLength(4);
  });

  test.each(cases)(
    "$height×$width, stride $stride, support $support: responses, log |det| and inverse match the reference to 1e-9",
    async ({ width, height, stride, support, filters, x, z, logAbsDet }) => {
      const bank = filterBank(filters.flat(2), { stride, support });
      const image = { width, height, pixels: Float64Array.from(x.flat()) };
      const y = await convolvedField(referenceRunner, bank, imageToField(image, stride));
      const k = stride * stride;
      const responses = y.values.map(
        (_, at) => z[at % k][Math.floor(at / k / y.width)][Math.floor(at / k) % y.width],
      );
      expectClose(y.values, responses, { absolute: 1e-9 });
      expectClose(convolutionDeterminant(bank, y).logDeterminant, logAbsDet, { absolute: 1e-9 });
      expectClose(fieldToImage(invertConvolution(bank, y)).pixels, image.pixels, {
        absolute: 1e-10,
      });
    },
  );
});

describe("filters", () => {
  test("are recovered from a bank, padded to a multiple of the stride at the right and bottom", () => {
    const given = Float64Array.from({ length: 4 * 9 }, (_, k) => k + 1);
    const { width, height, filters } = filtersOf(filterBank(given, { stride: 2, support: 3 }));
    expect([width, height]).toEqual([4, 4]);
    const second = Array.from(filters.subarray(16, 32));
    expect(second).toEqual([10, 11, 12, 0, 13, 14, 15, 0, 16, 17, 18, 0, 0, 0, 0, 0]);
  });

  test("may start blocks away from their location, which moves the responses", async () => {
    const [{ filters, support, stride, width, height, x }] = cases;
    const field = imageToField({ width, height, pixels: Float64Array.from(x.flat()) }, stride);
    const flat = Float32Array.from(filters.flat(2));
    const bank = filterBank(flat, { stride, support });
    const moved = filterBank(flat, { stride, support, left: -1, top: 2 });
    expect(moved.weights).toBeInstanceOf(Float32Array);
    const y = await convolvedField(referenceRunner, bank, field);
    const other = await convolvedField(referenceRunner, moved, field);
    const at = (row: number, column: number) => (row * field.width + column) * field.maps;
    expectClose(other.values.subarray(at(1, 2), at(1, 3)), y.values.subarray(at(3, 1), at(3, 2)), {
      relative: 1e-12,
    });
  });

  test("must have stride² × support² values", () => {
    expectError(() => filterBank([1, 2, 3], { stride: 2, support: 1 }), {
      code: "invalid-argument",
      argument: "filters",
    });
    expect(() => filterBank([1], { stride: 1, support: 0 })).toThrow("the support");
    const field = { maps: 3, taps: { width: 1, height: 1, left: 0, top: 0 } };
    const weights = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    expectError(() => filtersOf(convolution({ ...field, weights })), {
      code: "invalid-argument",
      argument: "the maps of the convolution",
    });
  });
});
