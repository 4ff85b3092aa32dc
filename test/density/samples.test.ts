/** Samples follow the density that log p states. */
import { describe, expect, test } from "vitest";
import { logProb } from "../../src/density/induced-density.js";
import { sample, synthesize } from "../../src/density/synthesis.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import type { Transform } from "../../src/transforms/transform.js";
import { expectClose, largest } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { lineNodes } from "../support/quadrature.js";
import { seed } from "../support/seed.js";
import { kolmogorovSmirnov } from "../support/statistics.js";

const runners = [
  { name: "Float64", runner: referenceRunner },
  { name: "Float32", runner: simdRunner },
];
const count = 16_000;
/** √n times the distance is above this for one seed in 8000. */
const largestDistance = 2.2;

/** p at every x. */
async function densities(transform: Transform, x: ArrayLike<number>): Promise<Float64Array> {
  return (await logProb(referenceRunner, transform, Float64Array.from(x))).map(Math.exp);
}

/**
 * The distribution function at rising places, by integrating a density: the rule of Gauss and
 * Legendre with three nodes from one place to the next, and the double exponential rule (or, of an
 * interval, 50 steps more of the first) for what is below them all.
 */
async function distributionAt(
  density: (x: number[]) => Promise<Float64Array>,
  places: Float64Array,
  lower = -Infinity,
): Promise<Float64Array> {
  const lead = 50;
  const from = places[0];
  const starts = Number.isFinite(lower)
    ? Array.from({ length: lead + 1 }, (_, k) => lower + ((from - lower) * k) / lead)
    : [from];
  const ends = [...starts, ...places.subarray(1)];
  const offset = Math.sqrt(0.6);
  const nodes = ends.slice(1).flatMap((end, k) => {
    const [middle, half] = [(end + ends[k]) / 2, (end - ends[k]) / 2];
    return [middle - offset * half, middle, middle + offset * half];
  });
  const p = await density(nodes);
  const tail = lineNodes({ step: 1 / 16, reach: 1e9 }).filter(({ at }) => at > 0);
  const ofTail = Number.isFinite(lower) ? [] : await density(tail.map(({ at }) => from - at));
  let total = 0;
  ofTail.forEach((value, k) => (total += tail[k].weight * value));
  const cumulated = [total];
  ends.slice(1).forEach((end, k) => {
    const [a, b, c] = p.subarray(3 * k, 3 * k + 3);
    total += ((end - ends[k]) / 2) * ((5 * a + 8 * b + 5 * c) / 9);
    cumulated.push(total);
  });
  return Float64Array.from(cumulated.slice(-places.length));
}

/** √n times the largest distance of the samples from their distribution function. */
async function distance(
  density: (x: number[]) => Promise<Float64Array>,
  samples: ArrayLike<number>,
  lower?: number,
): Promise<number> {
  const sorted = Float64Array.from(samples).sort();
  const values = await distributionAt(density, sorted, lower);
  const at = new Map(Array.from(sorted, (x, k) => [x, values[k]]));
  return kolmogorovSmirnov(sorted, (x) => at.get(x) as number);
}

const one = { alpha: [1.6], beta: [0.3], gamma: [0.8], epsilon: [0.4] };
const curve = { lower: -0.25, upper: 1.5, rate: 1.25, asymmetry: 0.5, center: -0.75 };
const ofOneDimension: { name: string; transform: Transform; lower?: number }[] = [
  {
    name: "general, with H",
    transform: gdn({ structure: "general", dimension: 1, H: [-0.7], ...one }),
  },
  { name: "marginal", transform: gdn({ structure: "marginal", dimension: 1, ...one }) },
  { name: "linear", transform: linear({ dimension: 1, H: [-0.4] }) },
  { name: "affine", transform: affine({ dimension: 1, scale: [-2], shift: [3] }) },
  { name: "pointwise", transform: pointwise({ dimension: 1, ...curve }), lower: curve.lower },
  {
    name: "cascade pointwise → gdn → affine",
    transform: cascade([
      pointwise({ dimension: 1, ...curve }),
      gdn({ structure: "column", dimension: 1, ...one, epsilon: [0.2] }),
      affine({ dimension: 1, scale: [1.5], shift: [0.25] }),
    ]),
    lower: curve.lower,
  },
];

describe.each(runners)(`$name (seed ${seed})`, ({ runner }) => {
  test.each(ofOneDimension)("one dimension: $name follows log p", async (given) => {
    const { transform, lower } = given;
    const x = await sample(runner, transform, count, seed);
    const found = await distance((places) => densities(transform, places), x, lower);
    expect(found).toBeLessThan(largestDistance);
  });

  test("would notice a density that is 20 % too wide", async () => {
    const { transform } = ofOneDimension[1];
    const x = await sample(runner, transform, count, seed);
    const wide = async (places: number[]): Promise<Float64Array> =>
      (
        await densities(
          transform,
          places.map((place) => place / 1.2),
        )
      ).map((p) => p / 1.2);
    expect(await distance(wide, x)).toBeGreaterThan(largestDistance);
  });

  describe("radial, two dimensions", () => {
    const radial = gdn({
      structure: "radial",
      dimension: 2,
      beta: [0.6],
      gamma: [0.8],
      epsilon: [0.3],
    });
    /** p(r) = 2π r p(x) at any x of that radius. */
    const ofRadius = async (radii: number[]): Promise<Float64Array> => {
      const p = await densities(
        radial,
        radii.flatMap((r) => [0.6 * r, -0.8 * r]),
      );
      return p.map((value, k) => 2 * Math.PI * radii[k] * value);
    };
    const rule = lineNodes({ step: 1 / 16, reach: 1e6 }).filter(({ at }) => at > 0);
    /** E r^k */
    const moment = async (k: number): Promise<number> => {
      const p = await ofRadius(rule.map(({ at }) => at));
      return rule.reduce((sum, { at, weight }, index) => sum + weight * p[index] * at ** k, 0);
    };

    test("mean 0 and covariance σ² I, both within five standard errors", async () => {
      const x = await sample(runner, radial, count, seed);
      const [square, fourth] = [await moment(2), await moment(4)];
      const mean = (f: (a: number, b: number) => number): number => {
        let sum = 0;
        for (let s = 0; s < count; s += 1) sum += f(x[2 * s], x[2 * s + 1]);
        return sum / count;
      };
      // With the angle uniform, E x_1² = ½E r², E x_1⁴ = ⅜E r⁴ and E x_1² x_2² = ⅛E r⁴.
      const variance = square / 2;
      const five = (deviation: number) => ({ absolute: (5 * deviation) / Math.sqrt(count) });
      expectClose(
        mean((a) => a),
        0,
        five(Math.sqrt(variance)),
      );
      expectClose(
        mean((_, b) => b),
        0,
        five(Math.sqrt(variance)),
      );
      const ofSquares = five(Math.sqrt((3 / 8) * fourth - variance ** 2));
      expectClose(
        mean((a) => a * a),
        variance,
        ofSquares,
      );
      expectClose(
        mean((_, b) => b * b),
        variance,
        ofSquares,
      );
      expectClose(
        mean((a, b) => a * b),
        0,
        five(Math.sqrt(fourth / 8)),
      );
    });

    test("radius and angle have their distributions", async () => {
      const x = await sample(runner, radial, count, seed);
      const pairs = Array.from({ length: count }, (_, s) => [x[2 * s], x[2 * s + 1]]);
      const radii = pairs.map(([a, b]) => Math.hypot(a, b));
      expect(await distance(ofRadius, radii, 0)).toBeLessThan(largestDistance);
      const angles = Float64Array.from(pairs, ([a, b]) => Math.atan2(b, a) / (2 * Math.PI) + 0.5);
      expect(kolmogorovSmirnov(angles, (share) => share)).toBeLessThan(largestDistance);
    });
  });

  test("gives the same samples for the same seed only", async () => {
    const { transform } = ofOneDimension[0];
    const draw = (from: number | string) => sample(runner, transform, 50, from);
    expect(await draw("a")).toEqual(await draw("a"));
    expect(await draw(7)).toEqual(await draw(7));
    const [a, b] = [await draw("a"), await draw("b")];
    expect([...a].filter((value, k) => value === b[k])).toEqual([]);
    expect(a.constructor).toBe(runner.kernels.floats(0).constructor);
  });

  test("samples are what synthesize makes of normal vectors", async () => {
    const transform = gdn({
      structure: "lp",
      dimension: 3,
      alpha: [1.5],
      beta: [1],
      gamma: [0.2],
      epsilon: [0.4],
    });
    const y = runner.kernels.floats(60);
    createRandom(seed, "sample").normalFill(y);
    const { x } = await synthesize(runner, transform, y);
    expect(await sample(runner, transform, 20, seed)).toEqual(x);
  });
});

describe.each(runners)("$name: where the transform is not onto", ({ runner }) => {
  const classic = gdn({ structure: "classic", dimension: 2, beta: [1] });

  test("sample says how many normal vectors have no preimage", async () => {
    const y = runner.kernels.floats(2 * 200);
    createRandom(1, "sample").normalFill(y);
    const outside = Array.from(
      { length: 200 },
      (_, s) => Math.abs(y[2 * s]) + Math.abs(y[2 * s + 1]),
    );
    const lost = outside.filter((size) => size >= 1).length;
    await expectError(sample(runner, classic, 200, 1), {
      code: "not-invertible",
      phrase: `${lost} of 200 normal vectors have no preimage: the transform is not onto`,
    });
  });

  test("throws if a single vector has no preimage", async () => {
    const sizes = createRandom(1, "sample").normalFill(runner.kernels.floats(300)).map(Math.abs);
    // Outputs end between the largest two of these.
    const [second, first] = sizes.sort().subarray(-2);
    const gamma = [(2 / (first + second)) ** 2];
    const narrow = gdn({ structure: "weighted-l2", dimension: 1, beta: [1], gamma });
    await expect(sample(runner, narrow, 300, 1)).rejects.toThrow("1 of 300 normal vectors have");
  });

  test("returns finite samples at the end of the range for α ε = 0.999", async () => {
    const groups = { beta: [1], gamma: [1], epsilon: [0.999 / 2] };
    const heavy = gdn({ structure: "radial", dimension: 2, ...groups });
    const x = await sample(runner, heavy, 50, 1);
    expect(x.every(Number.isFinite)).toBe(true);
    expect(largest(x)).toBeGreaterThan(1e37);
  });

  test("in a cascade as well", async () => {
    const both = cascade([affine({ dimension: 2, shift: [1, 2] }), classic]);
    await expect(sample(runner, both, 50, 1)).rejects.toThrow(
      "of 50 normal vectors have no preimage",
    );
  });

  test.each([-1, 1.5, NaN, 1e9])("rejects a count of %d", async (bad) => {
    await expect(sample(runner, classic, bad, 1)).rejects.toThrow(
      refusal("count", "be an integer from 0 to 536870912 (four gigabytes)", bad),
    );
  });
});

describe("an x beyond the range of Float32", () => {
  const H = [1e-30, 0, 0, 1];
  const groups = { alpha: [1, 1], beta: [1, 1], gamma: [1, 1], epsilon: [0.3, 0.3] };
  const transforms: Transform[] = [
    linear({ dimension: 2, H }),
    affine({ dimension: 2, scale: [1e-30, 1] }),
    gdn({ structure: "marginal", dimension: 2, H, ...groups }),
    cascade([
      affine({ dimension: 2, scale: [1e-30, 1] }),
      gdn({ structure: "marginal", dimension: 2, ...groups }),
    ]),
  ];

  test.each(transforms)("is not converged: $kind", async (transform) => {
    const y = Float64Array.of(1, 1, 1e15, 1, -2, 0);
    const { converged, residual } = await synthesize(simdRunner, transform, y);
    expect([...converged]).toEqual([1, 0, 1]);
    expect([...residual].map((value) => value < 1e-6)).toEqual([true, false, true]);
  });
});
