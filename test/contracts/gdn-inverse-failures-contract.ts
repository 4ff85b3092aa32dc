/** Values without an inverse, or whose inverse overflows, are reported. */
import { expect, test } from "vitest";
import type { GdnForm, GdnParameters, InversionResults } from "../../src/kernels/kernels.js";
import { expectSameBits } from "../support/expect-close.js";
import { poolsOf } from "../support/gdn-layers.js";
import { inversionMethods, settingsFor, synthesize } from "../support/gdn-inversions.js";
import type { KernelsUnderTest } from "./kernels-under-test.js";

const n = 5;

/** Equal parameters in each group: with α ε = 1 the outputs are bounded. */
function uniformParameters(form: GdnForm, alpha: number, epsilon: number): GdnParameters {
  const vector = (value: number): Float32Array => new Float32Array(n).fill(value);
  const matrix = (value: number): Float32Array => new Float32Array(n * n).fill(value);
  return {
    form,
    dimension: n,
    H: null,
    alpha: form === "general" ? matrix(alpha) : vector(alpha),
    beta: vector(0.5),
    ...poolsOf(form, n, () => 1),
    epsilon: vector(epsilon),
  };
}

interface Bounded {
  readonly name: string;
  readonly parameters: (form: GdnForm) => GdnParameters;
  /** Beyond the bound in every form: Σ_j |y_j|^α ≥ 1, in the diagonal form some |y_j| ≥ 1. */
  readonly unreachable: readonly number[];
  readonly reachable: readonly number[];
}

const boundedLayers: readonly Bounded[] = [
  {
    name: "α = ε = 1 (classic)",
    parameters: (form) => uniformParameters(form, 1, 1),
    unreachable: [1.25, -0.25, 0.25, 0, 0.5],
    reachable: [0.25, -0.125, 0.25, 0, 0.125],
  },
  {
    name: "α = 2, ε = ½ (weighted L2)",
    parameters: (form) => uniformParameters(form, 2, 0.5),
    unreachable: [0.5, -1.5, 0.25, 0, 0.125],
    reachable: [0.5, -0.25, 0.25, 0, 0.125],
  },
];

function expectUnconverged(found: InversionResults, s: number, tolerance: number): void {
  const z = found.z.subarray(s * n, (s + 1) * n);
  expect(found.converged[s]).toBe(0);
  expect(found.residual[s]).toBeGreaterThan(tolerance);
  expect([...z].filter((value) => !Number.isFinite(value))).toEqual([]);
}

export function describeUnreachable({ kernels }: KernelsUnderTest, form: GdnForm): void {
  for (const { name, parameters, unreachable, reachable } of boundedLayers) {
    test.each(inversionMethods)(`${name}: reports a y outside the range of g, %s`, (method) => {
      const layer = parameters(form);
      const y = kernels().floats(3 * n);
      y.set([...reachable, ...unreachable, ...reachable]);
      const settings = settingsFor(kernels(), method, 500);
      const found = synthesize(kernels(), layer, y, settings);
      expectUnconverged(found, 1, kernels().tolerance);
      expect(found.iterations[1]).toBeLessThanOrEqual(500);
      expect([found.converged[0], found.converged[2]]).toEqual([1, 1]);
      const alone = synthesize(kernels(), layer, y.slice(0, n), settings);
      expectSameBits(found.z.subarray(0, n), alone.z, "z of its neighbour");
      expectSameBits(found.z.subarray(2 * n), alone.z, "z of its other neighbour");
    });
  }

  test.each(inversionMethods)("reports a z that overflows, %s", (method) => {
    const huge = kernels().floats(0) instanceof Float64Array ? 1e308 : 3e38;
    const layer = uniformParameters(form, 1.5, 0.6);
    const y = kernels().floats(2 * n);
    y.set([huge, 0.5, -0.5, 0, -huge, 0.5, -1e9, 1e30, 0, 1e10]);
    const found = synthesize(kernels(), layer, y, settingsFor(kernels(), method, 500));
    expectUnconverged(found, 0, kernels().tolerance);
    // |z| = |y|^(1/(1 − 0.9)) = 1e300 does not overflow in Float64, but its power 1.5 does.
    expectUnconverged(found, 1, kernels().tolerance);
  });
}
