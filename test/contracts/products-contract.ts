import { describe, test } from "vitest";
import type { FloatArray, ProductSizes } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

const sizes: readonly [rows: number, inner: number, columns: number][] = [
  [1, 1, 1],
  [2, 3, 5],
  [7, 1, 9],
  [1, 256, 1],
  [5, 100, 8],
  [17, 16, 15],
  [33, 7, 2],
  [64, 63, 65],
  [3, 17, 100],
];

export function describeMatrixProducts({ kernels, epsilon }: KernelsUnderTest): void {
  // A sum of k products has k roundings of products and k − 1 of sums, each half an epsilon of the
  // terms so far.
  const relative = (inner: number): number => 0.5 * (inner + 1) * epsilon;

  describe("matrix products", () => {
    test.each(sizes)("A·B with A %d×%d and %d columns is the sum of its terms", (...size) => {
      const shape = sizesOf(size);
      const { a, b } = operands(shape, shape.rows * shape.inner);
      const out = kernels()
        .floats(shape.rows * shape.columns)
        .fill(NaN);
      kernels().multiply(a, b, out, shape);
      const { expected, scale } = exactProduct("multiply", a, b, shape);
      expectClose(out, expected, { relative: relative(shape.inner), scale }, "A·B");
    });

    test.each(sizes)("out += Aᵀ·B with %d rows, %d terms and %d columns adds to out", (...size) => {
      const shape = sizesOf(size);
      const { a, b, out: start } = operands(shape, shape.rows * shape.inner);
      const out = kernels().floats(start.length);
      out.set(start);
      kernels().accumulateProduct(a, b, out, shape);
      const { expected, scale } = exactProduct("accumulateProduct", a, b, shape, start);
      expectClose(out, expected, { relative: relative(shape.inner + 1), scale }, "out + Aᵀ·B");
    });

    test("large products do not change later small ones in the same memory", () => {
      const run = (shape: ProductSizes): { product: FloatArray; sum: FloatArray } => {
        const { a, b } = operands(shape, shape.rows * shape.inner);
        const product = kernels().floats(shape.rows * shape.columns);
        const sum = kernels().floats(shape.rows * shape.columns);
        kernels().multiply(a, b, product, shape);
        kernels().accumulateProduct(a, b, sum, shape);
        return { product, sum };
      };
      const small = { rows: 5, inner: 5, columns: 5 };
      const before = run(small);
      for (const larger of [sizesOf([8, 8, 8]), sizesOf([6, 7, 6]), sizesOf([40, 30, 20])]) {
        run(larger);
        const after = run(small);
        expectSameBits(after.product, before.product);
        expectSameBits(after.sum, before.sum);
      }
    });

    test("operands may have odd offsets, and nothing beside out is written", () => {
      const shape = { rows: 5, inner: 7, columns: 3 };
      const { a, b } = operands(shape, 35);
      const aligned = kernels().floats(15);
      kernels().multiply(a, b, aligned, shape);
      const shifted = (values: FloatArray): FloatArray => {
        const larger = new Float32Array(values.length + 3);
        larger.set(values, 1);
        return larger.subarray(1, 1 + values.length);
      };
      const around = kernels().floats(20).fill(7);
      kernels().multiply(shifted(a), shifted(b), around.subarray(3, 18), shape);
      expectSameBits(around.subarray(3, 18), aligned);
      expectSameBits([...around.subarray(0, 3), ...around.subarray(18)], [7, 7, 7, 7, 7]);
    });
  });
}

function sizesOf([rows, inner, columns]: readonly number[]): ProductSizes {
  return { rows, inner, columns };
}

function operands({ rows, inner, columns }: ProductSizes, aLength: number) {
  const random = createRandom(seed, "products", rows, inner, columns);
  const normal = (length: number): Float32Array => random.normalFill(new Float32Array(length));
  return { a: normal(aLength), b: normal(inner * columns), out: normal(rows * columns) };
}

/** Returns the product in Float64, and the sums of the absolute values of its terms. */
function exactProduct(
  operation: "multiply" | "accumulateProduct",
  a: FloatArray,
  b: FloatArray,
  shape: ProductSizes,
  start: FloatArray = new Float32Array(shape.rows * shape.columns),
): { expected: Float64Array; scale: Float64Array } {
  const expected = Float64Array.from(start);
  const scale = Float64Array.from(start, Math.abs);
  referenceKernels[operation](a, b, expected, shape);
  referenceKernels[operation](a.map(Math.abs), b.map(Math.abs), scale, shape);
  return { expected, scale };
}
