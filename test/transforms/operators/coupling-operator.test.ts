/** Couplings keep what the pass before the gradient has computed. */
import { describe, expect, test } from "vitest";
import type { FloatArray, Kernels } from "../../../src/kernels/kernels.js";
import type { Coupling } from "../../../src/transforms/coupling.js";
import { couplingKind } from "../../../src/transforms/operators/coupling-operator.js";
import { type StageOperator, unreadResults } from "../../../src/transforms/stage-kind.js";
import { zeroSums } from "../../../src/transforms/stage-kinds.js";
import { precisions } from "../../contracts/precisions.js";
import { expectSameBits } from "../../support/expect-close.js";
import { couplingCase, normals, randomOf } from "../../support/transform-cases.js";

const count = 40;
const shape = { dimension: 7, hidden: 9, given: "even" } as const;
const [stage, other] = ["kept", "other"].map(
  (name) => couplingCase(name, shape).transform as Coupling,
);

describe.each(precisions)("$name", ({ runner: { kernels } }) => {
  const x = kernels.floats(count * 7);
  x.set(normals(randomOf("kept couplings"), count * 7));
  const open = (): StageOperator<Coupling> => {
    const operator = couplingKind.open(kernels, stage, { leafSize: 8, maximumLeaves: 5 });
    operator.load(stage);
    return operator;
  };

  test("gradients have the same bits after a pass for them and without it", () => {
    const expected = gradientOf(kernels, open(), x);
    const operator = open();
    for (let step = 0; step < 3; step++) {
      operator.approximate?.(x, count, unreadResults(count, kernels.floats(x.length)), true);
      expectSameBits(gradientOf(kernels, operator, x), expected);
    }
  });

  test("gradients are those of the parameters loaded last", () => {
    const operator = open();
    operator.approximate?.(x, count, unreadResults(count, kernels.floats(x.length)), true);
    operator.load(other);
    const found = gradientOf(kernels, operator, x);
    expect(found).not.toEqual(gradientOf(kernels, open(), x));
    const fresh = open();
    fresh.load(other);
    expectSameBits(found, gradientOf(kernels, fresh, x));
  });

  test("samples may change in place after any other pass", () => {
    const operator = open();
    const samples = x.slice();
    operator.approximate?.(samples, count, unreadResults(count, kernels.floats(x.length)), true);
    gradientOf(kernels, operator, samples);
    samples.reverse();
    operator.approximate?.(samples, count, unreadResults(count, kernels.floats(x.length)));
    samples.set(x);
    expectSameBits(gradientOf(kernels, operator, samples), gradientOf(kernels, open(), x));
  });
});

/** Returns all results of a gradient, one after the other. */
function gradientOf(kernels: Kernels, operator: StageOperator<Coupling>, x: FloatArray): number[] {
  const results = {
    y: kernels.floats(x.length),
    logDeterminant: new Float64Array(count),
    energy: new Float64Array(count),
    failedPivot: new Int32Array(count),
    xGradient: kernels.floats(x.length),
    sums: zeroSums(kernels, stage),
  };
  operator.backpropagate(x, null, count, results);
  const { y, logDeterminant, energy, xGradient, sums } = results;
  return [y, logDeterminant, energy, xGradient, ...Object.values(sums)].flatMap((values) => [
    ...values,
  ]);
}
