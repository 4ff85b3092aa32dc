import { describe, expect, test } from "vitest";
import { betweenDraws } from "../../src/density/between-draws.js";
import { normalVectors, sample, sampleAt } from "../../src/density/synthesis.js";
import { createRandom } from "../../src/random/random-stream.js";
import { linear } from "../../src/transforms/linear.js";
import { expectError, refusal, sentenceOf } from "../support/expect-error.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { randomLayer } from "../support/models.js";
import { seed } from "../support/seed.js";

const n = 5;
const layer = randomLayer(createRandom(seed, "between draws"), "column", { n });

describe("betweenDraws", () => {
  test("starts and ends at the draws, with variance 1 in between", () => {
    const draws = createRandom(seed, "draws").normalFill(new Float64Array(40_000));
    const [a, b] = [draws.subarray(0, 20_000), draws.subarray(20_000)];
    expect(betweenDraws(a, b, 0)).toEqual(a);
    expect(betweenDraws(a, b, 1)).toEqual(b);
    const middle = Float64Array.from(betweenDraws(a, b, 0.5));
    // The variance of 20,000 values has a standard error of √(2/20,000) = 0.01.
    expect(middle.reduce((sum, v) => sum + v * v, 0) / 20_000).toBeCloseTo(1, 1);
    expect(middle[7]).toBeCloseTo((a[7] + b[7]) / Math.SQRT2, 12);
    // 1/4 of the way: (3a + b)/√10
    expect(betweenDraws(a, b, 0.25)[3]).toBeCloseTo((3 * a[3] + b[3]) / Math.sqrt(10), 12);
  });

  test("stays in Float32 for Float32, and refuses what is no part or not as long", () => {
    const [a, b] = [Float32Array.of(1, 2), Float32Array.of(3, -1)];
    expect(betweenDraws(a, b, 0.3)).toBeInstanceOf(Float32Array);
    for (const part of [-0.1, 1.1, NaN]) {
      expect(() => betweenDraws(a, b, part)).toThrow(refusal("part", "be from 0 to 1", part));
    }
    expectError(() => betweenDraws(a, b.subarray(1), 0.5), {
      code: "invalid-argument",
      argument: "the draw `to`",
    });
  });
});

describe("draws at a temperature", () => {
  test("are the samples at the scaled normal vectors, and at 1 the samples themselves", async () => {
    const y = normalVectors(simdRunner, layer, 7, 3);
    const x = await sample(simdRunner, layer, 7, 3);
    expect(await sampleAt(simdRunner, layer, y)).toEqual(x);
    expect(await sample(simdRunner, layer, 7, 3, { temperature: 1 })).toEqual(x);
    const cool = await sample(simdRunner, layer, 7, 3, { temperature: 0.5 });
    expect(cool).not.toEqual(x);
    expect(
      await sampleAt(
        simdRunner,
        layer,
        y.map((value) => value / 2),
      ),
    ).toEqual(cool);
  });

  test("scale samples of a linear transform", async () => {
    const H = Float64Array.of(2, 0.5, -1, 1);
    const transform = linear({ dimension: 2, H });
    const one = await sample(referenceRunner, transform, 4, seed);
    const other = await sample(referenceRunner, transform, 4, seed, { temperature: 1.5 });
    other.forEach((value, k) => {
      expect(value).toBeCloseTo(1.5 * one[k], 12);
    });
  });

  test("rejects a temperature that is not positive", async () => {
    for (const temperature of [0, -1, NaN, Infinity]) {
      expect(await sentenceOf(sample(simdRunner, layer, 2, 1, { temperature }))).toBe(
        refusal("temperature", "be a positive number", temperature),
      );
    }
  });
});
