/** Facts about GDN from §3.1 and §3.2 of the paper, with formulas written by hand. */
import { describe, expect, test } from "vitest";
import { backpropagate, gaussianize } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { type GdnStructure, gdnStructures } from "../../src/transforms/gdn-structures.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import { precisions } from "../contracts/precisions.js";
import { expectClose, expectSameBits, largest } from "../support/expect-close.js";
import { referenceRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";
import { type Entries, sources, spreadOut, spreadSize, subspaces } from "./spread-out-gdn.js";
import {
  asFloat32,
  gdnCase,
  hardSamples,
  inFloat64,
  mixing,
  normals,
  randomOf,
} from "../support/transform-cases.js";
import { jacobians } from "../support/differences.js";

const n = spreadSize;
const count = 20;
/** A layer without H, and one with. */
const layerOf = (structure: GdnStructure, hasH = false): Gdn =>
  gdnCase(structure, { n, hasH, name: `facts of ${structure}` }).transform as Gdn;
const rowOf = <T extends FloatArray>(values: T, s: number, width = n): T =>
  values.slice(s * width, (s + 1) * width) as T;
const norm = (v: Float64Array, p = 2): number =>
  v.reduce((sum, value) => sum + Math.abs(value) ** p, 0) ** (1 / p);

/** H x of one sample. */
function linearPart({ H, dimension }: Gdn, x: Float64Array): Float64Array {
  if (!H) return x;
  return x.map((_, i) => x.reduce((sum, xj, j) => sum + H[i * dimension + j] * xj, 0));
}

describe.each(precisions)(`$name (seed ${seed})`, ({ runner, epsilon }) => {
  // A pool sums n terms with two roundings each; its power, the quotient and H add as many.
  const within = { relative: 4 * n * epsilon };

  describe.each([false, true])("radial form, with H: %s", (hasH) => {
    const layer = layerOf("radial", hasH);
    const x = hardSamples(randomOf("radial facts"), n, count);

    test("y = (z/‖z‖) g_2(‖z‖) with g_2(r) = r/(β + γ r²)^ε: keeps the direction of z", async () => {
      const { y } = await gaussianize(runner, layer, x);
      for (let s = 0; s < count; s += 1) {
        const z = linearPart(layer, rowOf(x, s));
        const r = norm(z);
        const g = r / (layer.beta[0] + layer.gamma[0] * r * r) ** layer.epsilon[0];
        const wanted = z.map((value) => (r === 0 ? 0 : (value / r) * g));
        expectClose(rowOf(y, s), wanted, { ...within, scale: g }, `sample ${s}`);
      }
    });
  });

  describe.each([1, 1.37, 2, 3.2])("L_p form, p = %d", (p) => {
    const layer = gdn({
      structure: "lp",
      dimension: n,
      alpha: asFloat32([p]),
      beta: asFloat32([0.7]),
      gamma: asFloat32([0.3]),
      epsilon: asFloat32([0.8 / p]),
    });
    const x = hardSamples(randomOf("L_p facts"), n, count);

    test("‖y‖_p = g_p(‖z‖_p) with g_p(r) = r/(β + γ r^p)^ε, and keeps the direction", async () => {
      const { y } = await gaussianize(runner, layer, x);
      for (let s = 0; s < count; s += 1) {
        const [z, found] = [rowOf(x, s), inFloat64(rowOf(y, s))];
        const r = norm(z, layer.alpha[0]);
        const g = r / (layer.beta[0] + layer.gamma[0] * r ** layer.alpha[0]) ** layer.epsilon[0];
        expectClose(norm(found, layer.alpha[0]), g, within, `radius of sample ${s}`);
        const wanted = z.map((value) => (r === 0 ? 0 : (value / r) * g));
        expectClose(found, wanted, { ...within, scale: g }, `sample ${s}`);
      }
    });
  });

  test("radial form: rotating z rotates y alike", async () => {
    const layer = layerOf("radial");
    const x = hardSamples(randomOf("rotation"), n, count);
    const angle = 0.7;
    const turned = x.map((value, k) => {
      const [i, first] = [k % n, k - (k % n)];
      if (i === 0) return Math.cos(angle) * value - Math.sin(angle) * x[first + 1];
      return i === 1 ? Math.sin(angle) * x[first] + Math.cos(angle) * value : value;
    });
    const [plain, rotated] = [
      await gaussianize(runner, layer, x),
      await gaussianize(runner, layer, turned),
    ];
    for (let s = 0; s < count; s += 1) {
      const [y, ofTurned] = [inFloat64(rowOf(plain.y, s)), rowOf(rotated.y, s)];
      const wanted = y.with(0, Math.cos(angle) * y[0] - Math.sin(angle) * y[1]);
      wanted[1] = Math.sin(angle) * y[0] + Math.cos(angle) * y[1];
      expectClose(ofTurned, wanted, { ...within, scale: norm(y) }, `sample ${s}`);
    }
    // The rotation is rounded, and (I − M)⁻¹ amplifies that.
    const absolute = 256 * epsilon;
    expectClose(rotated.logDeterminant, plain.logDeterminant, { absolute });
  });

  test("L_p form: equals the radial form for p = 2", async () => {
    const { beta, gamma, epsilon: exponent } = layerOf("radial");
    const groups = { beta, gamma, epsilon: exponent };
    const lp = gdn({ structure: "lp", dimension: n, alpha: [2], ...groups });
    const x = hardSamples(randomOf("p = 2"), n, count);
    const radial = gdn({ structure: "radial", dimension: n, ...groups });
    expect(await gaussianize(runner, lp, x)).toEqual(await gaussianize(runner, radial, x));
  });

  describe("subspaces", () => {
    const layer = layerOf("subspace");
    const x = normals(randomOf("subspace facts"), count * n);
    const members = [0, 1, 2].map((k) => [...subspaces.keys()].filter((i) => subspaces[i] === k));
    /** Returns a copy with everything outside subspace k changed. */
    const changedOutside = (k: number): Float64Array =>
      x.map((value, index) => (subspaces[index % n] === k ? value : 3 - 2 * value));

    test("each is a radial form, and their log-determinants add up", async () => {
      const whole = await gaussianize(runner, layer, x);
      const sum = new Float64Array(count);
      for (const [k, indices] of members.entries()) {
        const radial = gdn({
          structure: "radial",
          dimension: indices.length,
          beta: layer.beta.slice(k, k + 1),
          gamma: layer.gamma.slice(k, k + 1),
          epsilon: layer.epsilon.slice(k, k + 1),
        });
        const inside = (values: FloatArray): Float64Array =>
          inFloat64(values).filter((_, index) => subspaces[index % n] === k);
        const part = await gaussianize(runner, radial, inside(x));
        expectClose(inside(whole.y), part.y, within, `y of subspace ${k}`);
        part.logDeterminant.forEach((value, s) => (sum[s] += value));
      }
      expectClose(whole.logDeterminant, sum, { relative: 16 * n * epsilon, scale: 1 });
    });

    test("changing the others does not change the outputs of one, to the bit", async () => {
      const before = await gaussianize(runner, layer, x);
      for (const k of members.keys()) {
        const after = await gaussianize(runner, layer, changedOutside(k));
        const inside = (values: FloatArray): FloatArray =>
          values.filter((_, index) => subspaces[index % n] === k);
        expectSameBits(inside(after.y), inside(before.y), `subspace ${k}`);
      }
    });
  });

  describe.each(["marginal", "general"] as const)("diagonal γ (%s)", (structure) => {
    const marginal = layerOf("marginal");
    const layer = structure === "marginal" ? marginal : spreadOut(marginal);
    const x = hardSamples(randomOf("marginal facts"), n, count);

    test("separates: component i is a one-dimensional GDN, and log-determinants add up", async () => {
      const whole = await gaussianize(runner, layer, x);
      const sum = new Float64Array(count);
      for (let i = 0; i < n; i += 1) {
        const one = (values: FloatArray): Float64Array => Float64Array.of(values[i]);
        const { alpha, beta, gamma, epsilon: exponent } = marginal;
        const groups = { alpha: one(alpha), beta: one(beta), gamma: one(gamma) };
        const single = gdn({
          structure: "general",
          dimension: 1,
          ...groups,
          epsilon: one(exponent),
        });
        const component = (values: FloatArray): FloatArray => values.filter((_, k) => k % n === i);
        const part = await gaussianize(runner, single, component(x));
        expectClose(component(whole.y), part.y, within, `component ${i}`);
        part.logDeterminant.forEach((value, s) => (sum[s] += value));
      }
      expectClose(whole.logDeterminant, sum, { relative: 16 * n * epsilon, scale: 1 });
    });
  });

  const tied = gdnStructures.filter((structure) => structure !== "low-rank");
  describe.each(tied)("%s", (structure) => {
    const layer = layerOf(structure);

    test("keeps orthants, both ways", async () => {
      const x = hardSamples(randomOf("orthants"), n, count);
      const { y } = await gaussianize(runner, layer, x);
      expect([...y].map(Math.sign)).toEqual([...x].map(Math.sign));
      const back = await synthesize(runner, layer, y);
      expect([...back.x].map(Math.sign)).toEqual([...x].map(Math.sign));
    });

    test("maps the cardinal axes to themselves, increasing, below γ_ii^−ε_i |z_i|^(1 − α_ii ε_i)", async () => {
      const { alpha, gamma, epsilon: exponent } = spreadOut(layer);
      const steps = [-10, -3, -1, -0.1, 0, 0.1, 1, 3, 10];
      for (let i = 0; i < n; i += 1) {
        const x = new Float64Array(steps.length * n);
        steps.forEach((step, s) => (x[s * n + i] = step));
        const { y } = await gaussianize(runner, layer, x);
        const others = [...y].filter((_, k) => k % n !== i);
        expect(others.every((value) => value === 0)).toBe(true);
        const along = [...y].filter((_, k) => k % n === i);
        along.slice(1).forEach((value, s) => {
          expect(value).toBeGreaterThan(along[s]);
        });
        const ii = i * n + i;
        const bound = (z: number): number =>
          gamma[ii] ** -exponent[i] * Math.abs(z) ** (1 - alpha[ii] * exponent[i]);
        along.forEach((value, s) => {
          if (steps[s] === 0) return;
          expect(Math.abs(value)).toBeLessThanOrEqual(bound(steps[s]) * (1 + 8 * epsilon));
        });
      }
    });

    test.each([false, true])(
      "equals the general form with its parameters spread out, including gradients, with H: %s",
      async (hasH) => {
        const own = layerOf(structure, hasH);
        const general = spreadOut(own);
        const x = hardSamples(randomOf("spread out"), n, count);
        const g = normals(randomOf("upstream"), x.length);
        const [a, b] = [
          await backpropagate(runner, own, x, g),
          await backpropagate(runner, general, x, g),
        ];
        const compare = (actual: FloatArray, expected: FloatArray, what: string): void => {
          // Sums over all samples and entries, amplified by (I − M)⁻¹ for α_ii ε_i = 0.999.
          const tolerance = { relative: 512 * epsilon, scale: Math.max(1, largest(expected)) };
          expectClose(actual, expected, tolerance, what);
        };
        compare(a.y, b.y, "y");
        compare(a.logDeterminant, b.logDeterminant, "log-determinant");
        compare(a.xGradient, b.xGradient, "∂L/∂x");
        if (hasH) compare(a.gradient[0].H, b.gradient[0].H, "∂L/∂H");
        for (const [group, free] of Object.entries(a.gradient[0])) {
          if (group === "H") continue;
          const ofEntries = b.gradient[0][group];
          const tie = sources[structure][group as keyof Entries];
          const collected = new Float64Array(free.length);
          ofEntries.forEach((value, k) => {
            const isMatrix = ofEntries.length > n;
            const source = isMatrix ? tie(Math.floor(k / n), k % n) : tie(k, k);
            if (source >= 0) collected[source] += value;
          });
          compare(free, collected, `∂L/∂${group}`);
        }
      },
    );
  });

  test("classic: y_i = z_i / (β + Σ_j |z_j|)", async () => {
    const layer = layerOf("classic");
    const x = hardSamples(randomOf("classic"), n, count);
    const { y } = await gaussianize(runner, layer, x);
    const wanted = x.map(
      (value, k) => value / (layer.beta[0] + norm(rowOf(x, Math.floor(k / n)), 1)),
    );
    expectClose(y, wanted, within);
  });

  // The paper writes β² for β here.
  test("weighted-l2: y_i = z_i / (β + Σ_j γ_j z_j²)^½", async () => {
    const layer = layerOf("weighted-l2");
    const x = hardSamples(randomOf("weighted"), n, count);
    const { y } = await gaussianize(runner, layer, x);
    const wanted = x.map((value, k) => {
      const z = rowOf(x, Math.floor(k / n));
      const pool = z.reduce((sum, zj, j) => sum + layer.gamma[j] * zj * zj, layer.beta[0]);
      return value / Math.sqrt(pool);
    });
    expectClose(y, wanted, within);
  });

  test("the fixed point of §3.2, step by step, ends where synthesize does", async () => {
    const layer = spreadOut(layerOf("column"));
    const { alpha, beta, gamma, epsilon: exponent } = layer;
    const x = normals(randomOf("fixed point"), n);
    const y = inFloat64((await gaussianize(runner, layer, x)).y);
    let z = y.map((value, i) => {
      const ii = i * n + i;
      const base = gamma[ii] ** exponent[i] * Math.abs(value);
      return Math.sign(value) * base ** (1 / (1 - alpha[ii] * exponent[i]));
    });
    for (let step = 0; step < 5000; step += 1) {
      z = y.map((value, i) => {
        const pool = z.reduce(
          (sum, zj, j) => sum + gamma[i * n + j] * Math.abs(zj) ** alpha[i * n + j],
          beta[i],
        );
        return pool ** exponent[i] * value;
      });
    }
    for (const method of ["fixed-point", "newton"] as const) {
      const found = await synthesize(runner, layer, y, { method });
      // The inverse amplifies roundings of y by up to 1/(1 − α_ii ε_i).
      expectClose(found.x, z, { relative: Math.max(1e-10, 1000 * epsilon) }, method);
    }
  });
});

describe("Jacobian", () => {
  test("of subspaces is block-diagonal", async () => {
    const layer = layerOf("subspace");
    const x = normals(randomOf("blocks"), 4 * n);
    const changed = x.map((value, k) => (subspaces[k % n] === 0 ? value : 2 - value));
    const [before, after] = [await jacobians(layer, x), await jacobians(layer, changed)];
    before.forEach((columns, s) => {
      columns.forEach((column, j) => {
        column.forEach((value, i) => {
          if (subspaces[i] !== subspaces[j]) expect(value).toBe(0);
          else if (subspaces[i] === 0) expect(after[s][j][i]).toBe(value);
        });
      });
    });
  });

  test("equals eq. (6) to 1e-9", async () => {
    const layer = layerOf("general");
    const { alpha, beta, gamma, epsilon } = layer;
    const x = normals(randomOf("eq. 6"), 8 * n).map((value) => value + 0.1 * Math.sign(value));
    const found = await jacobians(layer, x);
    found.forEach((columns, s) => {
      const z = rowOf(x, s);
      const D = z.map((_, i) =>
        z.reduce(
          (sum, zj, j) => sum + gamma[i * n + j] * Math.abs(zj) ** alpha[i * n + j],
          beta[i],
        ),
      );
      columns.forEach((column, k) => {
        const wanted = z.map((z_i, i) => {
          const ik = i * n + k;
          const slope = Math.abs(z[k]) ** (alpha[ik] - 1) * Math.sign(z[k]);
          const own = i === k ? D[i] ** -epsilon[i] : 0;
          return own - alpha[ik] * gamma[ik] * epsilon[i] * z_i * slope * D[i] ** (-epsilon[i] - 1);
        });
        expectClose(column, wanted, { relative: 1e-9, scale: 1 }, `column ${k} of sample ${s}`);
      });
    });
  });
});

test("H is applied before the division", async () => {
  const plain = layerOf("general");
  const H = mixing(randomOf("mixes"), n);
  const mixed = gdn({ ...plain, H });
  const x = normals(randomOf("mixes, x"), n);
  const z = linearPart(mixed, x);
  const [a, b] = [
    await gaussianize(referenceRunner, mixed, x),
    await gaussianize(referenceRunner, plain, z),
  ];
  expectClose(a.y, b.y, { relative: 64 * Number.EPSILON, scale: 1 });
});
