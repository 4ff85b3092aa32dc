import { describe, expect, test } from "vitest";
import type { FloatArray, Kernels, NetworkLayer } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

interface Case {
  readonly widths: readonly number[];
  readonly leafSize: number;
  readonly count: number;
}

/** Widths around those of a tile, and batches of less than a leaf and of many. */
const cases: readonly Case[] = [
  { widths: [1, 1, 1, 2], leafSize: 8, count: 1 },
  { widths: [1, 1], leafSize: 8, count: 9 },
  { widths: [3, 5, 5, 8], leafSize: 8, count: 70 },
  { widths: [32, 17, 17, 62], leafSize: 17, count: 100 },
  { widths: [7, 128, 9], leafSize: 32, count: 224 },
  { widths: [4, 33, 3], leafSize: 40, count: 83 },
];

export function describeNetworks(subject: KernelsUnderTest): void {
  const { kernels, epsilon } = subject;

  describe("networks", () => {
    test.each(cases)("have the outputs of their equations: %j", (shape) => {
      const { layers, x } = inputsOf(shape);
      expectClose(run(kernels(), shape).outputs, outputsOf(layers, x, shape), {
        relative: 100 * epsilon,
        scale: 10,
      });
    });

    test.each(cases)("have the gradients of the specification: %j", (shape) => {
      const found = run(kernels(), shape);
      const expected = run(referenceKernels, shape);
      const tolerance = { relative: 1000 * epsilon, scale: 10 * shape.count };
      expectClose(found.xGradient, expected.xGradient, { relative: 1000 * epsilon, scale: 10 });
      expected.sums.forEach(({ weights, bias }, k) => {
        expectClose(found.sums[k].weights, weights, tolerance, `weights ${k}`);
        expectClose(found.sums[k].bias, bias, tolerance, `bias ${k}`);
      });
    });

    test("skip failed samples, whatever their activations", () => {
      const shape = { widths: [3, 9, 4], leafSize: 8, count: 40 };
      const sound = run(kernels(), shape, [5, 33]);
      const infinite = run(kernels(), shape, [5, 33], Infinity);
      expectSameBits(valuesOf(infinite.sums), valuesOf(sound.sums));
      expectSameBits(infinite.xGradient, sound.xGradient);
    });

    test("that take turns do not change each other", () => {
      const before = cases.map((shape) => run(kernels(), shape));
      cases.forEach((shape, k) => {
        const after = run(kernels(), shape);
        expectSameBits(after.outputs, before[k].outputs);
        expectSameBits(valuesOf(after.sums), valuesOf(before[k].sums));
      });
    });

    test("have sums of 0 for an empty batch", () => {
      const { sums } = run(kernels(), { widths: [3, 5, 4], leafSize: 8, count: 0 });
      expect(valuesOf(sums).every((value) => value === 0)).toBe(true);
    });

    test("have the same outputs in any batch", () => {
      const shape = { widths: [5, 12, 6], leafSize: 8, count: 75 };
      const all = run(kernels(), shape).outputs;
      const first = run(kernels(), { ...shape, leafSize: 32, count: 13 }).outputs;
      expectSameBits(first, all.subarray(0, first.length));
    });
  });
  if (subject.name !== "reference") describeLeafSums(subject);
}

/** The specification adds all samples in turn. */
function describeLeafSums({ kernels }: KernelsUnderTest): void {
  test("networks add the sums of leaves along the tree", () => {
    const shape = { widths: [3, 9, 4], leafSize: 17, count: 60 };
    const allBut = (first: number, end: number): number[] =>
      [...Array(shape.count).keys()].filter((s) => s < first || s >= end);
    const leaves = [0, 17, 34, 51].map((first) =>
      valuesOf(run(kernels(), shape, allBut(first, first + 17)).sums),
    );
    const added = (a: readonly number[], b: readonly number[]) =>
      a.map((value, k) => Math.fround(value + b[k]));
    const [a, b, c, d] = leaves;
    expectSameBits(valuesOf(run(kernels(), shape).sums), added(added(a, b), added(c, d)));
  });
}

function inputsOf({ widths, count }: Case) {
  const random = createRandom(seed, "networks", widths.join());
  const normal = (length: number, scale = 1): Float32Array =>
    random.normalFill(new Float32Array(length)).map((value) => scale * value);
  const layers = widths.slice(1).map((width, k): NetworkLayer => {
    const scale = 2 / Math.sqrt(widths[k]);
    return { weights: normal(widths[k] * width, scale), bias: normal(width) };
  });
  const most = 256;
  const x = normal(most * widths[0]).subarray(0, count * widths[0]);
  const gradient = normal(most * widths[widths.length - 1]);
  return { layers, x, gradient: gradient.subarray(0, count * widths[widths.length - 1]) };
}

/** Runs both passes; `failed` samples have an x of `theirX`, if it is given. */
function run(kernels: Kernels, shape: Case, failed: readonly number[] = [], theirX?: number) {
  const { widths, count } = shape;
  const { layers, x, gradient } = inputsOf(shape);
  const failedPivot = new Int32Array(count).fill(-1);
  const [a, b] = [widths[0], widths[widths.length - 1]];
  for (const s of failed) {
    failedPivot[s] = 0;
    gradient.fill(0, s * b, (s + 1) * b);
    if (theirX !== undefined) x.fill(theirX, s * a, (s + 1) * a);
  }
  const network = kernels.network(shape);
  network.load(layers);
  const outputs = kernels.floats(count * b).fill(NaN);
  const activations = network.activations(count);
  network.forward(x, count, outputs, activations);
  const xGradient = kernels.floats(x.length).fill(NaN);
  const sums = layers.map(({ weights, bias }) => ({
    weights: kernels.floats(weights.length).fill(NaN),
    bias: kernels.floats(bias.length).fill(NaN),
  }));
  network.backpropagate(activations, gradient, failedPivot, { xGradient, sums });
  return { outputs, xGradient, sums };
}

function valuesOf(sums: readonly NetworkLayer[]): number[] {
  return sums.flatMap(({ weights, bias }) => [...weights, ...bias]);
}

/** Returns the outputs in Float64, straight from the equations. */
function outputsOf(layers: readonly NetworkLayer[], x: FloatArray, { widths, count }: Case) {
  let values = Float64Array.from(x);
  layers.forEach(({ weights, bias }, k) => {
    const [inner, columns] = widths.slice(k, k + 2);
    const previous = values;
    values = new Float64Array(count * columns).map((_, i) => {
      const [s, j] = [Math.floor(i / columns), i % columns];
      let u = bias[j];
      for (let c = 0; c < inner; c++) u += previous[s * inner + c] * weights[c * columns + j];
      return k < layers.length - 1 ? (u + Math.sqrt(1 + u * u)) / 2 : u;
    });
  });
  return values;
}
