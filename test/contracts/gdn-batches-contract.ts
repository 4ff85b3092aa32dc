/** Results do not depend on how samples are passed. */
import { describe, expect, test } from "vitest";
import type { FloatArray, GdnForm, SampleResults } from "../../src/kernels/kernels.js";
import { joinTree, splitTree } from "../../src/kernels/reduction-tree.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import {
  type GdnCase,
  backpropagate,
  gaussianize,
  gdnForms,
  gradientResults,
  groupsOf,
  inputGradient,
  kernelFor,
  randomCase,
  randomParameters,
  sampleResults,
  singleSample,
  testLeafSize,
  type FullResults,
} from "../support/gdn-layers.js";
import { seed } from "../support/seed.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

export function describeGdnBatches(subject: KernelsUnderTest): void {
  for (const form of gdnForms) {
    for (const linear of [false, true]) {
      describe(`GDN, ${form} form, ${linear ? "with" : "without"} H: batches`, () => {
        const sized = (n: number, count: number): GdnCase =>
          randomCase(createRandom(seed, "batches", form, n, count, linear ? "H" : ""), {
            form,
            n,
            linear,
            count,
          });
        describeSamples(subject, sized);
        describeSums(subject, sized);
        describeState(subject, sized, form, linear);
      });
    }
  }
}

type CaseOf = (n: number, count: number) => GdnCase;

function expectSameSamples(actual: SampleResults, expected: SampleResults): void {
  expectSameBits(actual.y as FloatArray, expected.y as FloatArray, "y");
  expectSameBits(actual.logDeterminant, expected.logDeterminant, "log-determinant");
  expectSameBits(actual.energy, expected.energy, "½‖y‖²");
  expectSameBits(actual.failedPivot, expected.failedPivot, "failed pivots");
}

function expectSameGradients(actual: FullResults, expected: FullResults): void {
  expectSameSamples(actual, expected);
  expectSameBits(actual.xGradient as FloatArray, expected.xGradient as FloatArray, "∂L/∂x");
  expectSameSums(actual, expected);
}

function expectSameSums(actual: FullResults, expected: FullResults): void {
  const wanted = groupsOf(expected.sums);
  groupsOf(actual.sums).forEach(([group, values], k) => {
    expectSameBits(values, wanted[k][1], `Σ ∂L/∂${group}`);
  });
}

function describeSamples({ kernels }: KernelsUnderTest, sized: CaseOf): void {
  test("a batch gives the same bits as its samples one by one", () => {
    for (const n of [3, 17]) {
      const batch = sized(n, 13);
      const together = backpropagate(kernels(), batch, batch.upstream);
      const scores = inputGradient(kernels(), batch, batch.upstream);
      for (let s = 0; s < batch.count; s += 1) {
        const single = singleSample(batch, s);
        const alone = backpropagate(kernels(), single, single.upstream);
        const row = (values: FloatArray | null): FloatArray =>
          (values as FloatArray).subarray(s * n, (s + 1) * n);
        expectSameBits(row(together.y), alone.y as FloatArray, `y of sample ${s}`);
        expectSameBits(row(together.xGradient), alone.xGradient as FloatArray, `∂L/∂x of ${s}`);
        const score = inputGradient(kernels(), single, single.upstream);
        expectSameBits(row(scores.xGradient), score.xGradient as FloatArray, `score of ${s}`);
        expectSameBits([together.logDeterminant[s]], alone.logDeterminant, "log-determinant");
        expectSameBits([together.energy[s]], alone.energy, "½‖y‖²");
      }
    }
  });

  test("gaussianize and backpropagate, with and without sums, give the same bits", () => {
    for (const n of [1, 7, 17, 40]) {
      const batch = sized(n, 5);
      const values = gaussianize(kernels(), batch);
      expectSameSamples(values, backpropagate(kernels(), batch, null));
      expectSameSamples(values, backpropagate(kernels(), batch, batch.upstream));
      expectSameSamples(values, inputGradient(kernels(), batch, batch.upstream));
    }
  });

  test("without upstream the loss is ½‖y‖², the same as with y as upstream", () => {
    const batch = sized(7, 5);
    const plain = backpropagate(kernels(), batch, null);
    expectSameGradients(backpropagate(kernels(), batch, plain.y), plain);
  });

  test("y, xGradient and sums may be null without changing the other results", () => {
    const { parameters, x, upstream, count } = sized(7, 5);
    const kernel = kernelFor(kernels(), parameters, count);
    const whole = gradientResults(kernels(), parameters, count);
    kernel.backpropagate(x, upstream, count, whole);
    const reduced = { ...gradientResults(kernels(), parameters, count), y: null, xGradient: null };
    kernel.backpropagate(x, upstream, count, reduced);
    expectSameSums(reduced, whole);
    expectSameBits(reduced.logDeterminant, whole.logDeterminant);
    const withoutSums = { ...gradientResults(kernels(), parameters, count), sums: null };
    kernel.backpropagate(x, upstream, count, withoutSums);
    expectSameSamples(withoutSums, whole);
    // In the column form ∂L/∂x needs only the diagonal of the inverse, whose last digits differ:
    // gdn-accuracy-contract.ts compares both with the specification.
    if (parameters.form !== "column") {
      expectSameBits(withoutSums.xGradient as FloatArray, whole.xGradient as FloatArray, "∂L/∂x");
    }
    const values = { ...sampleResults(kernels(), parameters.dimension, count), y: null };
    kernel.gaussianize(x, count, values);
    expectSameBits(values.logDeterminant, whole.logDeterminant);
    expectSameBits(values.energy, whole.energy);
  });

  test("arrays may have odd offsets, and nothing beside the results is written", () => {
    const { parameters, x, upstream, count } = sized(7, 5);
    const aligned = backpropagate(kernels(), { parameters, x, count }, upstream);
    const shifted = (values: Float32Array): Float32Array => {
      const larger = new Float32Array(values.length + 3);
      larger.set(values, 3);
      return larger.subarray(3);
    };
    const shiftedParameters = { ...parameters };
    for (const [group, values] of groupsOf(parameters)) {
      shiftedParameters[group] = shifted(values as Float32Array);
    }
    const around = new Map<FloatArray, FloatArray>();
    const framed = (values: FloatArray): FloatArray => {
      const larger = kernels()
        .floats(values.length + 8)
        .fill(7);
      const inside = larger.subarray(3, 3 + values.length);
      around.set(inside, larger);
      return inside;
    };
    const plain = gradientResults(kernels(), parameters, count);
    const results: FullResults = {
      ...plain,
      y: framed(plain.y as FloatArray),
      xGradient: framed(plain.xGradient as FloatArray),
      sums: {
        H: plain.sums.H && framed(plain.sums.H),
        alpha: framed(plain.sums.alpha),
        beta: framed(plain.sums.beta),
        gamma: framed(plain.sums.gamma),
        epsilon: framed(plain.sums.epsilon),
      },
    };
    kernelFor(kernels(), shiftedParameters, count).backpropagate(
      shifted(x as Float32Array),
      shifted(upstream as Float32Array),
      count,
      results,
    );
    expectSameGradients(results, aligned);
    for (const [inside, larger] of around) {
      const frame = [...larger.subarray(0, 3), ...larger.subarray(3 + inside.length)];
      expect(frame).toEqual([7, 7, 7, 7, 7, 7, 7, 7]);
    }
  });
}

function describeSums({ name, kernels }: KernelsUnderTest, sized: CaseOf): void {
  test("adds the gradient sums of the leaves along the reduction tree", () => {
    const batch = sized(7, 13 * testLeafSize + 1);
    const { parameters, x, upstream } = batch;
    const n = parameters.dimension;
    const leaves = Math.ceil(batch.count / testLeafSize);
    const leafSums = Array.from({ length: leaves }, (_, leaf) => {
      const [first, end] = [leaf * testLeafSize, Math.min((leaf + 1) * testLeafSize, batch.count)];
      const rows = (values: FloatArray): FloatArray => values.slice(first * n, end * n);
      const part = { parameters, x: rows(x), count: end - first };
      return groupsOf(backpropagate(kernels(), part, rows(upstream)).sums);
    });
    const nodes = splitTree(leaves, leaves);
    // The specification adds sample by sample: equal up to 53 roundings of Float64.
    const relative = name === "reference" ? 53 * Number.EPSILON : 0;
    groupsOf(backpropagate(kernels(), batch, upstream).sums).forEach(([group, values], k) => {
      const sums = leafSums.map((groups) => groups[k][1]);
      const add = (left: FloatArray, right: FloatArray): FloatArray => {
        const sum = kernels().floats(left.length);
        for (let i = 0; i < sum.length; i += 1) sum[i] = left[i] + right[i];
        return sum;
      };
      const expected = joinTree(leaves, nodes, sums, add);
      const scale = joinTree(
        leaves,
        nodes,
        sums.map((sum) => sum.map(Math.abs)),
        add,
      );
      expectClose(values, expected, { relative, scale }, `Σ ∂L/∂${group}`);
    });
  });

  test("sums over no samples are 0, also after a pass over some", () => {
    const { parameters, x, count } = sized(3, 5);
    const kernel = kernelFor(kernels(), parameters, count);
    kernel.backpropagate(x, null, count, gradientResults(kernels(), parameters, count));
    const empty = gradientResults(kernels(), parameters, 0);
    kernel.backpropagate(x.subarray(0, 0), null, 0, empty);
    for (const [group, values] of groupsOf(empty.sums)) {
      expect([...values], `Σ ∂L/∂${group}`).toEqual(Array.from(values, () => 0));
    }
  });
}

function describeState(
  { kernels }: KernelsUnderTest,
  sized: CaseOf,
  form: GdnForm,
  linear: boolean,
): void {
  test("repeats a pass with the same bits, also after passes with other samples and parameters", () => {
    for (const n of [3, 17]) {
      const { parameters, x, upstream, count } = sized(n, 13);
      const kernel = kernelFor(kernels(), parameters, count);
      const first = gradientResults(kernels(), parameters, count);
      kernel.backpropagate(x, upstream, count, first);
      const again = gradientResults(kernels(), parameters, count);
      kernel.backpropagate(x, upstream, count, again);
      expectSameGradients(again, first);

      const random = createRandom(seed, "other parameters", form, n);
      kernel.load(randomParameters(random, { form, n, linear }));
      const other = gradientResults(kernels(), parameters, count);
      kernel.backpropagate(upstream, null, 6, other);
      kernel.gaussianize(upstream, 7, other);
      kernel.load(parameters);
      kernel.backpropagate(x, upstream, count, again);
      expectSameGradients(again, first);
    }
  });

  test("ignores changes to the caller's parameters after load()", () => {
    const { parameters, x, count } = sized(3, 2);
    const copy = structuredClone(parameters);
    const kernel = kernelFor(kernels(), copy, count);
    for (const [, values] of groupsOf(copy)) values.fill(0.25);
    const results = sampleResults(kernels(), 3, count);
    kernel.gaussianize(x, count, results);
    expectSameSamples(results, gaussianize(kernels(), { parameters, x, count, upstream: x }));
  });
}
