/** Couplings: one half of the components is shifted and scaled by functions of the other half. */
import { describe, expect, test } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { startingCoupling } from "../../src/transforms/coupling-start.js";
import { mapParameters } from "../../src/transforms/parameters.js";
import { type Half, coupling, largestLogScale } from "../../src/transforms/coupling.js";
import { describeTransformContract } from "../contracts/transform-contract.js";
import { precisions } from "../contracts/precisions.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { couplingCase, normals, randomOf } from "../support/transform-cases.js";

const shapes: readonly { dimension: number; hidden: number; given: Half }[] = [
  { dimension: 2, hidden: 1, given: "even" },
  { dimension: 3, hidden: 5, given: "odd" },
  { dimension: 7, hidden: 9, given: "even" },
  { dimension: 8, hidden: 17, given: "odd" },
];

describeTransformContract("coupling", () =>
  shapes.map((shape) => {
    const { dimension, hidden, given } = shape;
    return couplingCase(`n = ${dimension}, ${hidden} units, given ${given}`, shape);
  }),
);

test("is the map of its equations, to 1e-14", async () => {
  const [U, c, V, d, W, e] = [
    [0.5, -1],
    [0.1, 0.2],
    [1, 0.25, -0.5, 2],
    [0, -0.3],
    [1, -2, 0.5, 3],
    [0.25, -1],
  ];
  const stage = coupling({
    dimension: 2,
    hidden: 2,
    given: "odd",
    inputWeights: U,
    inputBias: c,
    hiddenWeights: V,
    hiddenBias: d,
    outputWeights: W,
    outputBias: e,
  });
  const phi = (u: number): number => (u + Math.sqrt(1 + u * u)) / 2;
  const [changed, kept] = [-0.7, 1.3];
  const first = [0, 1].map((j) => phi(kept * U[j] + c[j]));
  const second = [0, 1].map((j) => phi(first[0] * V[j] + first[1] * V[2 + j] + d[j]));
  const [m, t] = [0, 1].map((j) => second[0] * W[j] + second[1] * W[2 + j] + e[j]);
  const s = (largestLogScale * t) / Math.sqrt(1 + t * t);
  const { y, logDeterminant } = await gaussianize(
    referenceRunner,
    stage,
    Float64Array.of(changed, kept),
  );
  expectClose(y, Float64Array.of((changed - m) * Math.exp(-s), kept), { relative: 1e-14 });
  expectClose(logDeterminant, Float64Array.of(-s), { relative: 1e-14 });
});

describe.each(precisions)("$name", ({ runner }) => {
  test("keeps one half, and the signs of x change the other", async () => {
    const { transform } = couplingCase("signs", { dimension: 6, hidden: 8, given: "even" });
    const x = normals(randomOf("coupling signs"), 6);
    const { y } = await gaussianize(runner, transform, x);
    const { y: mirrored } = await gaussianize(
      runner,
      transform,
      x.map((value) => -value),
    );
    for (const k of [0, 2, 4]) expect(y[k]).toBe(x[k]);
    for (const k of [1, 3, 5]) expect(Math.abs(y[k] + mirrored[k])).toBeGreaterThan(1e-3);
  });

  test("starts as the identity", async () => {
    const stage = startingCoupling({ dimension: 5, hidden: 4, given: "odd" });
    const x = normals(randomOf("coupling start"), 20);
    const { y, logDeterminant } = await gaussianize(runner, stage, x);
    expect([...y]).toEqual([...x]);
    expect([...logDeterminant]).toEqual([0, 0, 0, 0]);
  });
});

describe("samples that overflow in Float32", () => {
  // Component 0 goes through positive weights; their result is the shift of component 1.
  const { transform } = couplingCase("overflow", { dimension: 4, hidden: 3, given: "even" });
  const positive = mapParameters(transform, (values) => values.map(Math.abs));
  const sound = [1, 2, 3, 4, -1, 0.5, 2, -2];
  const lost = [3e38, 0, 3e38, 0];

  test("are named with a component", async () => {
    const x = Float64Array.from([...sound.slice(0, 4), ...lost]);
    await expect(gaussianize(simdRunner, positive, x)).rejects.toThrow(
      "Sample 1 has no density: component 1 overflows in Float32.",
    );
  });

  test("are skipped in all sums", async () => {
    const x = Float64Array.from([...sound.slice(0, 4), ...lost, ...sound.slice(4)]);
    const found = await negentropyGradient(simdRunner, positive, x);
    expect(found.failedSamples).toBe(1);
    const { gradient } = await negentropyGradient(simdRunner, positive, Float64Array.from(sound));
    for (const [name, values] of Object.entries(gradient[0])) {
      expectClose(found.gradient[0][name], values, { relative: 1e-6, scale: 1 }, name);
    }
  });
});

test.each([
  [{ dimension: 1 }, "Expected dimension to be at least 2 for a coupling but received 1."],
  [{ hidden: 0 }, "Expected hidden to be an integer from 1 to 4096 but received 0."],
  [{ given: "left" }, 'Expected given to be "even" or "odd" but received "left".'],
  [{ inputBias: [1] }, "Expected inputBias to hold 2 values but received 1."],
  [{ outputBias: [0, NaN] }, "Expected outputBias[1] to be finite but received NaN."],
])("rejects %j", (wrong, message) => {
  const right = startingCoupling({ dimension: 2, hidden: 2, given: "even" });
  expect(() => coupling({ ...right, ...wrong } as never)).toThrow(message);
});
