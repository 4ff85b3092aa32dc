import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gaussianize, logProb, score } from "../../src/density/induced-density.js";
import type { GaussianizeError } from "../../src/errors.js";
import { createRandom } from "../../src/random/random-stream.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { checkBatch, checkSamples } from "../../src/transforms/checks.js";
import { type GdnStructure, gdnStructures } from "../../src/transforms/gdn-structures.js";
import { type Gdn, type UntypedGdnInput, gdn as typedGdn } from "../../src/transforms/gdn.js";
import { expectError } from "../support/expect-error.js";
import { gdnForms, gradientGroups, randomParameters, structureOf } from "../support/gdn-layers.js";
import { referenceRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

type Group = (typeof gradientGroups)[number];

/** Calls the constructor like JavaScript, without types. */
const gdn = typedGdn as (input: UntypedGdnInput) => Gdn;

const H = [2, 0.1, 0.2, 0.3, 3, 0.4, 0.5, 0.6, 4];

/** Returns a valid layer of three dimensions in which all values of a group differ. */
const valid: Record<GdnStructure, Partial<Record<Group, readonly number[]>>> = {
  general: {
    H,
    alpha: [1.25, 1.5, 1.75, 2, 2.5, 2.75, 3, 3.25, 4],
    beta: [0.1, 0.2, 0.3],
    gamma: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    epsilon: [0.5, 0.25, 0.125],
  },
  column: {
    H,
    alpha: [1.25, 2.5, 4],
    beta: [0.1, 0.2, 0.3],
    gamma: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    epsilon: [0.5, 0.25, 0.125],
  },
  marginal: {
    H,
    alpha: [1.25, 2.5, 4],
    beta: [0.1, 0.2, 0.3],
    gamma: [0, 1, 2],
    epsilon: [0.5, 0.25, 0.125],
  },
  radial: { H, beta: [0.1], gamma: [2], epsilon: [0.25] },
  lp: { H, alpha: [2.5], beta: [0.1], gamma: [2], epsilon: [0.25] },
  subspace: { H, beta: [0.1, 0.2], gamma: [1, 2], epsilon: [0.5, 0.25] },
  classic: { H, beta: [0.1] },
  "weighted-l2": { H, beta: [0.1], gamma: [1, 2, 3] },
  "low-rank": {
    H,
    alpha: [1.25, 2.5, 4],
    beta: [0.1, 0.2, 0.3],
    // Rank 2.
    gamma: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
    epsilon: [0.5, 0.25, 0.125],
  },
};

/** 1/α_ii of each ε, and the name of the exponent. */
const bounds: Record<GdnStructure, readonly (readonly [bound: number, alpha: string])[]> = {
  // The bound of row i comes from its diagonal entry only.
  general: [
    [0.8, "alpha[0][0]"],
    [0.4, "alpha[1][1]"],
    [0.25, "alpha[2][2]"],
  ],
  column: [
    [0.8, "alpha[0]"],
    [0.4, "alpha[1]"],
    [0.25, "alpha[2]"],
  ],
  marginal: [
    [0.8, "alpha[0]"],
    [0.4, "alpha[1]"],
    [0.25, "alpha[2]"],
  ],
  radial: [[0.5, "α"]],
  lp: [[0.4, "alpha[0]"]],
  subspace: [
    [0.5, "α"],
    [0.5, "α"],
  ],
  classic: [],
  "weighted-l2": [],
  "low-rank": [
    [0.8, "alpha[0]"],
    [0.4, "alpha[1]"],
    [0.25, "alpha[2]"],
  ],
};

const valuesOf = (structure: GdnStructure, group: Group): readonly number[] =>
  valid[structure][group] ?? [];

const inputOf = (
  structure: GdnStructure,
  changes: Partial<Record<Group, ArrayLike<number>>> = {},
): UntypedGdnInput => ({
  structure,
  dimension: 3,
  ...(structure === "subspace" ? { partition: [0, 1, 0] } : {}),
  ...(structure === "low-rank" ? { rank: 2 } : {}),
  ...valid[structure],
  ...changes,
});

/** Returns the input with one value of one group replaced. */
function withValue(
  structure: GdnStructure,
  group: Group,
  index: number,
  value: number,
): UntypedGdnInput {
  return inputOf(structure, { [group]: valuesOf(structure, group).with(index, value) });
}

/** Returns the name of an entry: x[i] of a list, x[i][j] of a matrix. */
const place = (structure: GdnStructure, group: Group, index: number): string =>
  valuesOf(structure, group).length === 9
    ? `${group}[${Math.floor(index / 3)}][${index % 3}]`
    : `${group}[${index}]`;

/** Returns the name of the rejected value, or "no error". */
const refusedOf = (input: UntypedGdnInput): string | undefined => {
  try {
    gdn(input);
  } catch (error) {
    expect((error as GaussianizeError).code).toBe("invalid-argument");
    return (error as GaussianizeError).argument;
  }
  return "no error";
};

const everyGroup = gdnStructures.flatMap((structure) =>
  gradientGroups.flatMap((group) => (valid[structure][group] ? [{ structure, group }] : [])),
);
const having = (group: Group): GdnStructure[] =>
  everyGroup.flatMap((entry) => (entry.group === group ? [entry.structure] : []));

describe("accepts", () => {
  test.each(gdnStructures)("a valid layer of the structure %s, in copies", (structure) => {
    const layer = gdn(inputOf(structure));
    expect(layer.kind).toBe("gdn");
    expect(layer.structure).toBe(structure);
    expect(layer.dimension).toBe(3);
    expect(layer.partition).toEqual(structure === "subspace" ? Int32Array.of(0, 1, 0) : null);
    for (const group of gradientGroups) {
      expect(layer[group]).toEqual(Float64Array.from(valuesOf(structure, group)));
    }
  });

  test.each(gdnStructures)("its own records unchanged (%s)", (structure) => {
    const layer = gdn(inputOf(structure));
    expect(gdn(layer)).toEqual(layer);
    expect(gdn(structuredClone(layer))).toEqual(layer);
  });

  test.each(everyGroup)(
    "Float32 arrays as Float32, everything else as Float64: $group of $structure",
    ({ structure, group }) => {
      const values = valuesOf(structure, group);
      for (const given of [[...values], Float64Array.from(values)]) {
        expect(gdn(inputOf(structure, { [group]: given }))[group]).toEqual(
          Float64Array.from(values),
        );
      }
      const single = Float32Array.from(values);
      expect(gdn(inputOf(structure, { [group]: single }))[group]).toEqual(single);
    },
  );

  test.each(gdnStructures)("arrays that the caller changes later (%s)", (structure) => {
    const kinds = [
      (values: readonly number[]) => Float64Array.from(values),
      (values: readonly number[]) => Float32Array.from(values),
      (values: readonly number[]) => [...values],
    ];
    for (const kind of kinds) {
      const arrays = Object.fromEntries(
        Object.entries(valid[structure]).map(([group, values]) => [group, kind(values)]),
      ) as Record<Group, number[]>;
      const partition = [0, 1, 0];
      const input = inputOf(structure, arrays);
      const layer = gdn(structure === "subspace" ? { ...input, partition } : input);
      const before = structuredClone(layer);
      for (const values of Object.values(arrays)) values.fill(NaN);
      partition.fill(7);
      expect(layer).toEqual(before);
    }
  });

  test("a missing or null H as the identity", () => {
    const { structure, dimension, alpha, beta, gamma, epsilon } = inputOf("column");
    const withoutH = {
      structure,
      dimension,
      alpha: alpha!,
      beta: beta!,
      gamma: gamma!,
      epsilon: epsilon!,
    };
    expect(gdn(withoutH).H).toBeNull();
    expect(gdn({ ...withoutH, H: null }).H).toBeNull();
  });

  test.each(gdnForms)("random layers, whatever the seed (%s)", (form) => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 12 }), (purpose, n) => {
        const random = createRandom(seed, "border", purpose);
        const parameters = randomParameters(random, { form, n, linear: true });
        const { dimension, rank, H, alpha, beta, gamma, epsilon } = parameters;
        const groups = {
          structure: structureOf[form],
          dimension,
          H,
          alpha,
          beta,
          gamma,
          epsilon,
          ...(rank !== undefined && { rank }),
        };
        expect(gdn(groups)).toEqual({ kind: "gdn", partition: null, ...groups });
      }),
      { numRuns: 50 },
    );
  });

  test.each(gdnStructures)(
    "the bounds themselves: alpha 1, gamma 0, epsilon 0 (%s)",
    (structure) => {
      const { alpha, gamma, epsilon } = valid[structure];
      const input = inputOf(structure, {
        ...(alpha && { alpha: alpha.map(() => 1) }),
        ...(gamma && { gamma: gamma.map(() => 0) }),
        ...(epsilon && { epsilon: epsilon.map((_, k) => (k === 1 ? -0 : 0)) }),
      });
      expect(refusedOf(input)).toBe("no error");
    },
  );

  test.each(gdnStructures)("beta down to the smallest normal Float32 (%s)", (structure) => {
    const smallest = 1.1754943508222875e-38;
    for (const k of valuesOf(structure, "beta").keys()) {
      expect(refusedOf(withValue(structure, "beta", k, smallest))).toBe("no error");
      expect(refusedOf(withValue(structure, "beta", k, 1e-40))).toBe(`beta[${k}]`);
    }
  });

  test.each(having("alpha"))(
    "epsilon = 1/alpha_ii, exactly and rounded to Float32 (%s)",
    (structure) => {
      const random = createRandom(seed, "epsilon at its bound", structure);
      const { alpha: given, epsilon } = valid[structure] as Record<Group, number[]>;
      for (let trial = 0; trial < 300; trial += 1) {
        const alpha = Float32Array.from(given, () => 1 + 4 * random.uniform());
        const bound = epsilon.map((_, i) => 1 / alpha[structure === "general" ? 4 * i : i]);
        expect(refusedOf(inputOf(structure, { alpha, epsilon: bound }))).toBe("no error");
        const rounded = Float32Array.from(bound);
        expect(refusedOf(inputOf(structure, { alpha, epsilon: rounded }))).toBe("no error");
      }
    },
  );

  test("dimension 1 and 4096", () => {
    const one: Record<Group, number[]> = {
      H: [-1e-30],
      alpha: [2],
      beta: [1],
      gamma: [1],
      epsilon: [0.5],
    };
    for (const structure of gdnStructures) {
      const free = gradientGroups.filter((group) => valid[structure][group]);
      const input = Object.fromEntries(free.map((group) => [group, one[group]]));
      const partition = structure === "subspace" ? [0] : null;
      const lowRank = structure === "low-rank" ? { rank: 1, gamma: [1, 2, 3] } : {};
      expect(refusedOf({ structure, dimension: 1, partition, ...input, ...lowRank })).toBe(
        "no error",
      );
    }
    const ones = new Float64Array(4096).fill(1);
    const many = { alpha: ones, beta: ones, gamma: ones, epsilon: ones };
    expect(refusedOf({ structure: "marginal", dimension: 4096, ...many })).toBe("no error");
    const radial = { beta: [1], gamma: [1], epsilon: [0.5] };
    expect(refusedOf({ structure: "radial", dimension: 4096, ...radial })).toBe("no error");
  });
});

describe("structure and dimension", () => {
  test.each(["tied", "", undefined, 3, "diagonal", "toString"])(
    "rejects the structure %o",
    (structure) => {
      const input = { ...inputOf("general"), structure: structure as GdnStructure };
      expectError(() => gdn(input), {
        code: "invalid-argument",
        argument: "structure",
        phrase: "general, column, marginal, radial, lp, subspace, classic, weighted-l2, low-rank",
      });
    },
  );

  test.each([0, -1, 1.5, 4097, 1e9, NaN, Infinity, -0])("rejects the dimension %d", (dimension) => {
    expect(refusedOf({ ...inputOf("general"), dimension })).toBe("dimension");
  });

  test('rejects the dimension "3"', () => {
    expect(refusedOf({ ...inputOf("general"), dimension: "3" as unknown as number })).toBe(
      "dimension",
    );
  });
});

describe("partition", () => {
  test.each([
    [undefined, "partition"],
    [null, "partition"],
    [[0, 1], "partition"],
    [[0, 1, 0, 1], "partition"],
    [[0, -1, 0], "partition[1]"],
    [[0, 0, 0.5], "partition[2]"],
    [[0, NaN, 0], "partition[1]"],
    [[0, 2 ** 32, 0], "partition[1]"],
    [[0, 2, 0], "partition"],
    [[1, 1, 1], "partition"],
  ])("rejects %o", (partition, argument) => {
    const input = { ...inputOf("subspace"), partition: partition as readonly number[] };
    expect(refusedOf(input)).toBe(argument);
  });

  test("accepts subspaces in any order", () => {
    expect(refusedOf({ ...inputOf("subspace"), partition: [1, 0, 1] })).toBe("no error");
  });

  test.each(gdnStructures.filter((structure) => structure !== "subspace"))(
    "is rejected for the structure %s",
    (structure) => {
      expect(refusedOf({ ...inputOf(structure), partition: [0, 1, 0] })).toBe("partition");
    },
  );
});

describe("rank", () => {
  test.each([undefined, 0, -1, 1.5, 65, NaN, "2"])("rejects %o", (rank) => {
    const input = { ...inputOf("low-rank"), rank: rank as number };
    expect(refusedOf(input)).toBe("rank");
  });

  test.each(gdnStructures.filter((structure) => structure !== "low-rank"))(
    "is rejected for the structure %s",
    (structure) => {
      expect(refusedOf({ ...inputOf(structure), rank: 2 })).toBe("rank");
    },
  );

  test("may be larger than the number of components", () => {
    const gamma = new Float64Array(129 * 3).fill(0.01);
    expect(refusedOf({ ...inputOf("low-rank", { gamma }), rank: 64 })).toBe("no error");
  });
});

describe("lengths", () => {
  test.each(everyGroup)(
    "$group of $structure must have the right length",
    ({ structure, group }) => {
      const right = valuesOf(structure, group).length;
      for (const length of [0, 1, 3, 6, 8, 9, 10, 12]) {
        if (length === right) continue;
        const values = new Float64Array(length).fill(1);
        expectError(() => gdn(inputOf(structure, { [group]: values })), {
          code: "invalid-argument",
          argument: group,
          phrase: new RegExp(`\\b${right}\\b.*\\b${length}\\b`),
        });
      }
    },
  );

  test.each([
    { structure: "radial", group: "alpha", fixed: 2 },
    { structure: "subspace", group: "alpha", fixed: 2 },
    { structure: "classic", group: "alpha", fixed: 1 },
    { structure: "classic", group: "gamma", fixed: 1 },
    { structure: "classic", group: "epsilon", fixed: 1 },
    { structure: "weighted-l2", group: "alpha", fixed: 2 },
    { structure: "weighted-l2", group: "epsilon", fixed: 0.5 },
  ] as const)("$group of $structure is fixed at $fixed", ({ structure, group, fixed }) => {
    expect(refusedOf(inputOf(structure, { [group]: [] }))).toBe("no error");
    expect(refusedOf(inputOf(structure, { [group]: [fixed] }))).toBe(group);
  });
});

describe("values", () => {
  test.each(everyGroup)("$group of $structure must be finite", ({ structure, group }) => {
    for (const index of valuesOf(structure, group).keys()) {
      for (const value of [NaN, Infinity, -Infinity]) {
        expect(refusedOf(withValue(structure, group, index, value))).toBe(
          place(structure, group, index),
        );
      }
    }
  });

  test.each(having("alpha"))("alpha must be at least 1 (%s)", (structure) => {
    for (const index of valuesOf(structure, "alpha").keys()) {
      for (const value of [1 - 2 ** -53, 0.5, 0, -2]) {
        expect(refusedOf(withValue(structure, "alpha", index, value))).toBe(
          place(structure, "alpha", index),
        );
      }
    }
  });

  test.each(having("beta"))("beta must be greater than 0 (%s)", (structure) => {
    for (const index of valuesOf(structure, "beta").keys()) {
      for (const value of [0, -0, -1e-12, -1]) {
        expect(refusedOf(withValue(structure, "beta", index, value))).toBe(`beta[${index}]`);
      }
    }
  });

  test.each(having("gamma"))("gamma must be at least 0 (%s)", (structure) => {
    for (const index of valuesOf(structure, "gamma").keys()) {
      for (const value of [-5e-324, -1]) {
        expect(refusedOf(withValue(structure, "gamma", index, value))).toBe(
          place(structure, "gamma", index),
        );
      }
    }
  });

  test("names the entry of a list of one value like a list", () => {
    const one = { alpha: [2], beta: [0], gamma: [1], epsilon: [0.5] };
    expect(refusedOf({ structure: "marginal", dimension: 1, ...one })).toBe("beta[0]");
  });

  test("reports the first of several mistakes", () => {
    const input = inputOf("column", { alpha: [2, 0, -1], beta: [1, 0, 0], epsilon: [2, 2, 2] });
    expect(refusedOf(input)).toBe("alpha[1]");
  });
});

describe("epsilon must be from 0 to 1/alpha_ii", () => {
  test.each(having("epsilon"))("%s", (structure) => {
    expect(bounds[structure].length).toBe(valuesOf(structure, "epsilon").length);
    for (const [i, [bound, alpha]] of bounds[structure].entries()) {
      for (const value of [-1e-9, -1, bound * 1.00001, 1]) {
        expectError(() => gdn(withValue(structure, "epsilon", i, value)), {
          code: "invalid-argument",
          argument: `epsilon[${i}]`,
          phrase: `1/${alpha} = ${bound}`,
        });
      }
      expect(refusedOf(withValue(structure, "epsilon", i, bound))).toBe("no error");
    }
  });
});

describe("H must be non-singular", () => {
  const expectSingular = (input: UntypedGdnInput, column: number): void => {
    const phrase = new RegExp(`column ${column}\\b.*pivot of -?[0-9.e-]+`);
    expectError(() => gdn(input), { code: "invalid-argument", argument: "H", phrase });
  };

  test.each([
    { what: "zero", H: [0, 0, 0, 0, 0, 0, 0, 0, 0], column: 0 },
    { what: "a row of zeros", H: [1, 2, 3, 0, 0, 0, 4, 5, 7], column: 2 },
    { what: "a column of zeros", H: [1, 0, 3, 4, 0, 6, 7, 0, 8], column: 1 },
    { what: "two equal rows", H: [1, 2, 3, 4, 5, 6, 1, 2, 3], column: 2 },
    { what: "a row that is the sum of others", H: [1, 2, 3, 4, 5, 6, 5, 7, 9], column: 2 },
    {
      what: "of rank 2 in decimals that round",
      H: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
      column: 2,
    },
  ])("rejects $what", ({ H, column }) => {
    expectSingular(inputOf("general", { H }), column);
    // Independent of the scale of H.
    for (const scale of [1e-30, 1e30]) {
      const scaled = H.map((value) => scale * value);
      expectSingular(inputOf("general", { H: scaled }), column);
    }
  });

  const layerOf64 = (H: Float64Array): UntypedGdnInput => {
    const ones = new Float64Array(64).fill(1);
    return {
      structure: "marginal",
      dimension: 64,
      H,
      alpha: ones,
      beta: ones,
      gamma: ones,
      epsilon: ones,
    };
  };

  /** Makes one row a combination of all others, up to rounding errors. */
  function makeDependent(H: Float64Array, row: number, weights: Float64Array): void {
    for (let j = 0; j < 64; j += 1) {
      let sum = 0;
      for (let i = 0; i < 64; i += 1) if (i !== row) sum += weights[i] * H[i * 64 + j];
      H[row * 64 + j] = sum;
    }
  }

  test(`accepts random 64×64 matrices, and rejects them with a repeated row (seed ${seed})`, () => {
    for (let trial = 0; trial < 20; trial += 1) {
      const random = createRandom(seed, "repeated row", trial);
      const H = random.normalFill(new Float64Array(64 * 64));
      expect(refusedOf(layerOf64(H))).toBe("no error");
      makeDependent(
        H,
        63 - trial,
        Float64Array.from({ length: 64 }, (_, i) => Number(i === trial)),
      );
      expectSingular(layerOf64(H), 63);
    }
  });

  test("rejects random 64×64 matrices of rank 63", () => {
    for (let trial = 0; trial < 100; trial += 1) {
      const random = createRandom(1, "rank", trial);
      const H = random.normalFill(new Float64Array(64 * 64));
      makeDependent(H, random.integer(64), random.normalFill(new Float64Array(64)));
      expectSingular(layerOf64(H), 63);
    }
  });

  test("accepts small, permuted, negative and badly conditioned matrices", () => {
    for (const H of [
      [1e-30, 0, 0, 0, 1e-30, 0, 0, 0, 1e-30],
      [0, 1, 0, 0, 0, 1, 1, 0, 0],
      [-1, 0, 0, 0, -1, 0, 0, 0, -1],
      [1, 1, 1, 1, 1 + 1e-9, 1, 1, 1, 1 + 1e-9],
    ]) {
      expect(refusedOf(inputOf("general", { H }))).toBe("no error");
    }
  });
});

describe("checkSamples", () => {
  test("returns the number of samples", () => {
    expect(checkSamples(new Float32Array(12), 3)).toBe(4);
    expect(checkSamples(new Float64Array(5), 1)).toBe(5);
  });

  test("rejects an empty batch", () => {
    expectError(() => checkSamples(new Float64Array(0), 3), {
      code: "invalid-argument",
      argument: "x",
    });
    expect(checkBatch(new Float64Array(0), 3)).toBe(0);
  });

  test.each([1, 2, 4, 10])("rejects %i values for 3 dimensions", (length) => {
    expectError(() => checkSamples(new Float64Array(length), 3), {
      code: "invalid-argument",
      argument: "x",
    });
  });

  test.each([NaN, Infinity, -Infinity])("rejects %d and names the sample and component", (bad) => {
    for (const type of [Float32Array, Float64Array]) {
      const x = new type(12);
      x[7] = bad;
      x[11] = bad;
      expectError(() => checkSamples(x, 3), { code: "invalid-argument", argument: "x[2][1]" });
    }
  });
});

describe("rejects anything but a record of parameters", () => {
  const layer = {
    structure: "column",
    dimension: 1,
    alpha: [1],
    beta: [1],
    gamma: [1],
    epsilon: [0.5],
  };

  test.each([
    [undefined, "the parameters of a layer"],
    [{ ...layer, gamma: undefined }, "gamma"],
    [{ ...layer, alpha: "2" }, "alpha"],
    [{ ...layer, alfa: [1] }, "the parameters of a layer"],
    [{ ...layer, gamma: [1e39] }, "gamma[0][0]"],
  ])("%o", (input, argument) => {
    expect(refusedOf(input as unknown as UntypedGdnInput)).toBe(argument);
  });

  test("also in every pass", async () => {
    const bad = { ...gdn(layer as UntypedGdnInput), beta: Float64Array.of(-1) } as Gdn;
    const x = Float64Array.of(1, 2);
    for (const pass of [gaussianize, score, logProb, negentropyGradient]) {
      const wanted = { code: "invalid-argument", argument: "beta[0]" } as const;
      await expectError(pass(referenceRunner, bad, x), wanted);
    }
  });

  test("and a list as a batch", () => {
    expectError(() => checkSamples([1, 2] as unknown as Float64Array, 2), {
      code: "invalid-argument",
      argument: "x",
      phrase: "Float32Array or Float64Array",
    });
  });
});
