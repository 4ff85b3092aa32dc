import { expect, test } from "vitest";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { fitModel } from "../../src/training/fit-model.js";
import { type GroupRates, ratesOfLargePools } from "../../src/training/group-rates.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { expectError } from "../support/expect-error.js";

const n = 4;
const H = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
const start = startingGdn({ structure: "column", dimension: n, H });
const batch = createRandom(1).normalFill(new Float32Array(64 * n));

/** Length of the first move of a group, relative to that of H; Adam moves all by their rates. */
async function movesOf(groupRates?: GroupRates): Promise<Readonly<Record<string, number>>> {
  const runner = new InlineRunner((await loadKernels()).kernels);
  const options = { steps: 1, batchAt: () => batch, groupRates };
  const { transform } = await fitTransform(runner, start, options);
  const move = (name: "H" | "alpha" | "beta" | "gamma" | "epsilon"): number => {
    const [before, after] = [start[name] ?? [], transform[name] ?? []];
    return Math.max(...Array.from(after, (value, k) => Math.abs(value - before[k])));
  };
  const ofH = move("H");
  const names = ["alpha", "beta", "gamma", "epsilon"] as const;
  return Object.fromEntries(names.map((name) => [name, move(name) / ofH]));
}

test("rejects unknown groups, H, and rates that are not positive", async () => {
  const code = "invalid-argument";
  for (const name of ["gama", "H"]) {
    await expectError(movesOf({ [name]: 1 }), { code, phrase: `alpha, beta, gamma, epsilon but` });
  }
  for (const rate of [0, -1, NaN, Infinity]) {
    await expectError(movesOf({ beta: rate }), { code, argument: "groupRates.beta" });
  }
});

test.each([
  [11, {}, ratesOfLargePools],
  [11, { optimiser: "sgd" }, undefined],
  [3, {}, undefined],
] as const)(
  "the sides of patches, %i pixels, and options %o decide",
  async (size, options, rates) => {
    const runner = new InlineRunner((await loadKernels()).kernels);
    const { model } = await fitModel(runner, {
      model: "gdn",
      images: 2,
      load: (k) => Promise.resolve(deadLeaves(createRandom(k), { width: 32, height: 32 })),
      reading: { luminance: "linear", dequantize: false, layout: { size, removeMean: false } },
      steps: 1,
      batch: 8,
      heldOut: 0,
      ...options,
    });
    expect(model.about.training?.groupRates).toEqual(rates);
  },
);

test("groups without a rate move at half the rate of H", async () => {
  const moves = await movesOf();
  for (const move of Object.values(moves)) expect(move).toBeCloseTo(0.5, 2);
});

test("each group moves at its own rate", async () => {
  const moves = await movesOf({ alpha: 1 / 4, beta: 4, gamma: 1 / 8 });
  expect(moves.alpha).toBeCloseTo(1 / 4, 2);
  expect(moves.beta).toBeCloseTo(4, 1);
  expect(moves.gamma).toBeCloseTo(1 / 8, 2);
  expect(moves.epsilon).toBeCloseTo(1 / 2, 2);
});
