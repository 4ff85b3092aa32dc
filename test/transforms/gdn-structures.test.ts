import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gaussianize, logProb, score } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import { type FloatArray, gdnLengths } from "../../src/kernels/kernels.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import {
  type FreeParameters,
  type StructureSize,
  type TiedGroup,
  collectOnFree,
  fixedValue,
  formOf,
  freeLengths,
  gdnStructures,
  pooledWeights,
  spreadOverEntries,
  tiedGroups,
} from "../../src/transforms/gdn-structures.js";
import { type Gdn, gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import { expectClose, float32Epsilon, largest } from "../support/expect-close.js";
import { everyStructure } from "../support/gdn-layers.js";
import { structuredGoldenCases } from "../support/golden-gdn.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

type Groups = Record<TiedGroup, FloatArray>;

const sizes: readonly StructureSize[] = everyStructure.map(({ partition, ...size }) => ({
  ...size,
  partition: partition ? Int32Array.from(partition) : null,
}));

/** Layers so large that the weights of their blocks have factors; the last size is padded. */
const factoredSizes: readonly StructureSize[] = [32, 37].flatMap((dimension) => [
  { structure: "radial", dimension, partition: null },
  { structure: "lp", dimension, partition: null },
  { structure: "classic", dimension, partition: null },
  { structure: "weighted-l2", dimension, partition: null },
  {
    structure: "subspace",
    dimension,
    // Interleaved, of different sizes.
    partition: Int32Array.from({ length: dimension }, (_, i) => (i % 7 === 0 ? 2 : i % 2)),
  },
]);

const groupsOfLength = (lengths: Record<TiedGroup, number>, fill: (length: number) => FloatArray) =>
  Object.fromEntries(tiedGroups.map((group) => [group, fill(lengths[group])])) as Groups;

const freeOf = (size: StructureSize, fill: (length: number) => FloatArray): FreeParameters => ({
  ...size,
  H: null,
  ...groupsOfLength(freeLengths(size), fill),
});

const normals =
  (random: RandomStream) =>
  (length: number): Float64Array =>
    random.normalFill(new Float64Array(length));
const zeros = (length: number): Float64Array => new Float64Array(length);

test("the tests cover every structure", () => {
  expect(sizes.map(({ structure }) => structure)).toEqual(gdnStructures);
});

describe("freeLengths", () => {
  test.each([
    { structure: "general", n: 5, alpha: 25, beta: 5, gamma: 25, epsilon: 5 },
    { structure: "column", n: 5, alpha: 5, beta: 5, gamma: 25, epsilon: 5 },
    { structure: "marginal", n: 5, alpha: 5, beta: 5, gamma: 5, epsilon: 5 },
    { structure: "radial", n: 5, alpha: 0, beta: 1, gamma: 1, epsilon: 1 },
    { structure: "lp", n: 5, alpha: 1, beta: 1, gamma: 1, epsilon: 1 },
    { structure: "subspace", n: 5, alpha: 0, beta: 3, gamma: 3, epsilon: 3 },
    { structure: "classic", n: 5, alpha: 0, beta: 1, gamma: 0, epsilon: 0 },
    { structure: "weighted-l2", n: 5, alpha: 0, beta: 1, gamma: 5, epsilon: 0 },
    { structure: "low-rank", n: 5, alpha: 5, beta: 5, gamma: 35, epsilon: 5 },
  ] as const)("$structure", ({ structure, n, ...expected }) => {
    const partition = structure === "subspace" ? Int32Array.of(2, 0, 2, 1, 0) : null;
    const rank = structure === "low-rank" ? { rank: 3 } : {};
    expect(freeLengths({ structure, dimension: n, partition, ...rank })).toEqual(expected);
  });
});

describe("spreadOverEntries", () => {
  const spread = (size: StructureSize, free: Partial<Groups>) =>
    spreadOverEntries({ ...freeOf(size, zeros), ...free });

  test.each([...sizes, ...factoredSizes])(
    "fills every entry that the kernels store: $structure",
    (size) => {
      const entries = spreadOverEntries(freeOf(size, (length) => zeros(length).fill(7)));
      const { form, rank } = formOf(size);
      const lengths = gdnLengths(form, size.dimension, rank);
      expect([entries.form, entries.rank]).toEqual([form, rank]);
      for (const group of tiedGroups) {
        expect(entries[group].length).toBe(lengths[group]);
        // Factors of weights have entries 0 and 1.
        const allowed = [7, fixedValue(size.structure, group), 0, form === "low-rank" ? 1 : 0];
        for (const value of entries[group]) expect(allowed).toContain(value);
      }
    },
  );

  test("subspaces pool their own components, wherever these are", () => {
    const size: StructureSize = {
      structure: "subspace",
      dimension: 4,
      partition: Int32Array.of(1, 0, 1, 0),
    };
    const entries = spread(size, {
      beta: Float64Array.of(10, 20),
      gamma: Float64Array.of(3, 4),
      epsilon: Float64Array.of(0.3, 0.4),
    });
    expect([...entries.alpha]).toEqual([2, 2, 2, 2]);
    expect([...entries.beta]).toEqual([20, 10, 20, 10]);
    expect([...entries.gamma]).toEqual([4, 0, 4, 0, 0, 3, 0, 3, 4, 0, 4, 0, 0, 3, 0, 3]);
    expect([...entries.epsilon]).toEqual([0.4, 0.3, 0.4, 0.3]);
  });

  test("weighted-l2 has the weight of the pooled component in every row", () => {
    const size = { structure: "weighted-l2", dimension: 3, partition: null } as const;
    const entries = spread(size, { beta: Float64Array.of(5), gamma: Float64Array.of(1, 2, 3) });
    expect([...entries.gamma]).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
    expect([...entries.alpha, ...entries.epsilon]).toEqual([2, 2, 2, 0.5, 0.5, 0.5]);
    expect([...entries.beta]).toEqual([5, 5, 5]);
  });

  test("classic divisive normalization has only β as free parameter", () => {
    const size = { structure: "classic", dimension: 2, partition: null } as const;
    const entries = spread(size, { beta: Float64Array.of(5) });
    expect([...entries.alpha, ...entries.gamma, ...entries.epsilon]).toEqual(
      new Array<number>(8).fill(1),
    );
    expect([...entries.beta]).toEqual([5, 5]);
  });
});

describe(`collectOnFree is the adjoint of spreadOverEntries (seed ${seed})`, () => {
  /** ⟨g, spread(free)⟩ = ⟨collect(g), free⟩ + ⟨g, fixed entries⟩ in every group. */
  function expectAdjoint(size: StructureSize, random: RandomStream): void {
    const free = freeOf(size, normals(random));
    const { form, rank } = formOf(size);
    const lengths = gdnLengths(form, size.dimension, rank);
    const g = groupsOfLength(lengths, normals(random));
    const entries = spreadOverEntries(free);
    // With all free parameters 0, only fixed entries remain.
    const fixed = spreadOverEntries(freeOf(size, zeros));
    const collected = collectOnFree(size, g);
    for (const group of tiedGroups) {
      const inner = (a: FloatArray, b: FloatArray): number => {
        expect(a.length).toBe(b.length);
        let sum = 0;
        for (let k = 0; k < a.length; k += 1) sum += a[k] * b[k];
        return sum;
      };
      expectClose(
        inner(collected[group], free[group]),
        inner(g[group], entries[group]) - inner(g[group], fixed[group]),
        { absolute: 1e-14 * g[group].length * largest(entries[group]) * largest(g[group]) },
        `${group} of ${size.structure}`,
      );
    }
  }

  test.each(sizes)("$structure", (size) => {
    for (let trial = 0; trial < 10; trial += 1) {
      expectAdjoint(size, createRandom(seed, "adjoint", size.structure, trial));
    }
  });

  test("subspaces of any number and order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 }),
        fc.integer(),
        (labels, purpose) => {
          // Renumbers any labels to 0, 1, 2 … in increasing order.
          const ranks = [...new Set(labels)].sort((a, b) => a - b);
          const partition = Int32Array.from(labels, (label) => ranks.indexOf(label));
          const size = { structure: "subspace", dimension: labels.length, partition } as const;
          expect(freeLengths(size).beta).toBe(ranks.length);
          expectAdjoint(size, createRandom(seed, "any subspaces", purpose));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("sums thousands of Float32 entries without losing digits", () => {
    const n = 4096;
    const size = { structure: "radial", dimension: n, partition: null } as const;
    const g = groupsOfLength(gdnLengths("low-rank", n, 1), (length) =>
      new Float32Array(length).fill(0.1),
    );
    const { beta } = collectOnFree(size, g);
    expect(beta).toEqual(Float32Array.of(n * Math.fround(0.1)));
  });
});

describe(`structures with blocks have closed forms (seed ${seed})`, () => {
  /** A layer of the structure, and the same with a full γ, which is eliminated. */
  function twins(size: StructureSize): readonly [Gdn, Gdn] {
    const { structure, dimension: n } = size;
    const random = createRandom(seed, "blocks", structure, n);
    const between = (low: number, high: number) => (length: number) =>
      Float64Array.from({ length }, () => low + (high - low) * random.uniform());
    const lengths = freeLengths(size);
    const layer = gdnOfAnyStructure({
      ...size,
      H: random
        .normalFill(new Float64Array(n * n))
        .map((value, k) => value / n + +(k % (n + 1) === 0)),
      alpha: between(1.2, 1.9)(lengths.alpha),
      beta: between(0.5, 1)(lengths.beta),
      gamma: between(0.1, 0.4)(lengths.gamma),
      epsilon: between(0.2, 0.45)(lengths.epsilon),
    });
    const { alpha, beta, epsilon } = spreadOverEntries(layer);
    const full = { structure: "column", dimension: n, H: layer.H, alpha, beta, epsilon } as const;
    return [layer, gdnOfAnyStructure({ ...full, gamma: pooledWeights(layer) })];
  }

  describe.each([
    { kernels: "reference", runner: referenceRunner, relative: 1e-11 },
    { kernels: "simd", runner: simdRunner, relative: 256 * float32Epsilon },
  ])("$kernels kernels", ({ runner, relative }) => {
    test.each(factoredSizes)("$structure, n = $dimension: as by elimination", async (size) => {
      const [layer, full] = twins(size);
      expect(formOf(layer).form).toBe("low-rank");
      const random = createRandom(seed, "samples", size.dimension);
      const x = random.normalFill(new Float32Array(6 * size.dimension));
      const compare = (what: string, actual: FloatArray, expected: FloatArray): void => {
        const scale = Math.max(1, largest(expected));
        expectClose(actual, expected, { relative, scale }, what);
      };
      compare("log p", await logProb(runner, layer, x), await logProb(runner, full, x));
      const scores = [await score(runner, layer, x), await score(runner, full, x)];
      compare("score", scores[0].score, scores[1].score);
      const own = await negentropyGradient(runner, layer, x);
      const [fullGradient] = (await negentropyGradient(runner, full, x)).gradient;
      const summed = collectByDefinition(size, fullGradient as unknown as Groups);
      for (const [group, values] of Object.entries(own.gradient[0])) {
        const expected = group === "H" ? fullGradient.H : summed[group as TiedGroup];
        compare(`gradient of ${group}`, values, expected);
      }
      const { y } = await gaussianize(runner, layer, x);
      const back = await synthesize(runner, layer, y);
      compare("x", back.x, x);
    });
  });

  test.each([
    { blocks: 1, dimension: 31, form: "column" },
    { blocks: 16, dimension: 64, form: "low-rank" },
    { blocks: 32, dimension: 64, form: "column" },
    { blocks: 65, dimension: 1024, form: "column" },
  ])("$blocks blocks of $dimension components: $form", ({ blocks, dimension, form }) => {
    const partition = Int32Array.from({ length: dimension }, (_, i) => i % blocks);
    expect(formOf({ structure: "subspace", dimension, partition }).form).toBe(form);
  });

  /** Sums entries of a full γ, and of vectors, over those that share a free parameter. */
  function collectByDefinition(size: StructureSize, full: Groups): Groups {
    const { structure, dimension: n } = size;
    const partition = size.partition ?? new Int32Array(n);
    const sources: Record<TiedGroup, (i: number, j: number) => number> = {
      alpha: () => 0,
      beta: (i) => partition[i],
      epsilon: (i) => partition[i],
      gamma: (i, j) =>
        structure === "weighted-l2" ? j : partition[i] === partition[j] ? partition[i] : -1,
    };
    const lengths = freeLengths(size);
    return Object.fromEntries(
      tiedGroups.map((group) => {
        const sums = new Float64Array(lengths[group]);
        full[group].forEach((value, k) => {
          const isMatrix = group === "gamma";
          const source = sources[group](isMatrix ? Math.floor(k / n) : k, k % n);
          if (source >= 0 && source < sums.length) sums[source] += value;
        });
        return [group, sums];
      }),
    ) as unknown as Groups;
  }
});

describe("golden layers through their own structure", () => {
  const scaleOf = (values: ArrayLike<number>): number => Math.max(1, largest(values));

  test("cover every structure", () => {
    const present = new Set(structuredGoldenCases.map(({ layer }) => layer.structure));
    // Low-rank pooling is compared with the full γ in test/kernels/low-rank.test.ts.
    const wanted = gdnStructures.filter((structure) => structure !== "low-rank");
    expect([...present].sort()).toEqual([...wanted].sort());
  });

  describe.each([
    { kernels: "reference", runner: referenceRunner, relative: 1e-12 },
    // As without ties: sums over the entries of a group have the size of its largest value.
    { kernels: "simd", runner: simdRunner, relative: 64 * float32Epsilon },
  ])("$kernels kernels", ({ runner, relative }) => {
    test.each(structuredGoldenCases)(
      "$name: y, log-determinant, log p, score and gradient",
      async ({ layer, x, ...golden }) => {
        const compare = (what: string, actual: FloatArray, expected: FloatArray): void => {
          expectClose(actual, expected, { relative, scale: scaleOf(expected) }, what);
        };
        const normal = await gaussianize(runner, layer, x);
        compare("y", normal.y, golden.y);
        compare("log-determinant", normal.logDeterminant, golden.logDeterminant);
        compare("log p", await logProb(runner, layer, x), golden.logProb);
        const scored = await score(runner, layer, x);
        compare("log p beside the score", scored.logProb, golden.logProb);
        compare("score", scored.score, golden.score);
        const { gradient, failedSamples } = await negentropyGradient(runner, layer, x);
        expect(failedSamples).toBe(0);
        expect(gradient).toHaveLength(1);
        expect(Object.keys(gradient[0]).sort()).toEqual(Object.keys(golden.gradient).sort());
        for (const [group, expected] of Object.entries(golden.gradient)) {
          compare(`gradient of ${group}`, gradient[0][group], expected);
        }
      },
    );
  });
});
