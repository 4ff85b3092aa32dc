import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gaussianize, score } from "../../src/density/induced-density.js";
import type { GdnForm } from "../../src/kernels/kernels.js";
import { createRandom } from "../../src/random/random-stream.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { type GdnInput, checkSamples, gdnParameters } from "../../src/transforms/gdn-parameters.js";
import { gdnForms, gradientGroups, randomParameters } from "../support/gdn-cases.js";
import { referenceRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

type Group = (typeof gradientGroups)[number];

/** A valid layer of three dimensions in which no two values of a group are alike. */
const valid: Record<GdnForm, Record<Group, readonly number[]>> = {
  general: {
    H: [2, 0.1, 0.2, 0.3, 3, 0.4, 0.5, 0.6, 4],
    alpha: [1.25, 1.5, 1.75, 2, 2.5, 2.75, 3, 3.25, 4],
    beta: [0.1, 0.2, 0.3],
    gamma: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    epsilon: [0.5, 0.25, 0.125],
  },
  column: {
    H: [2, 0.1, 0.2, 0.3, 3, 0.4, 0.5, 0.6, 4],
    alpha: [1.25, 2.5, 4],
    beta: [0.1, 0.2, 0.3],
    gamma: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    epsilon: [0.5, 0.25, 0.125],
  },
  diagonal: {
    H: [2, 0.1, 0.2, 0.3, 3, 0.4, 0.5, 0.6, 4],
    alpha: [1.25, 2.5, 4],
    beta: [0.1, 0.2, 0.3],
    gamma: [0, 1, 2],
    epsilon: [0.5, 0.25, 0.125],
  },
};

const inputOf = (
  form: GdnForm,
  changes: Partial<Record<Group, ArrayLike<number>>> = {},
): GdnInput => ({
  form,
  dimension: 3,
  ...valid[form],
  ...changes,
});

/** The input with one value of one group replaced. */
function withValue(form: GdnForm, group: Group, index: number, value: number): GdnInput {
  return inputOf(form, { [group]: valid[form][group].with(index, value) });
}

/** How a caller would write the place: x[i] of a list, x[i][j] of a matrix. */
const place = (form: GdnForm, group: Group, index: number): string =>
  valid[form][group].length === 3
    ? `${group}[${index}]`
    : `${group}[${Math.floor(index / 3)}][${index % 3}]`;

const sentenceOf = (input: GdnInput): string => {
  try {
    gdnParameters(input);
  } catch (error) {
    expect((error as Error).name).toBe("GaussianizeError");
    return (error as Error).message;
  }
  return "no error";
};

const everyGroup = gdnForms.flatMap((form) => gradientGroups.map((group) => ({ form, group })));

describe("what is accepted", () => {
  test.each(gdnForms)("a valid layer of the %s form, in Float64 copies", (form) => {
    const parameters = gdnParameters(inputOf(form));
    expect(parameters.form).toBe(form);
    expect(parameters.dimension).toBe(3);
    for (const group of gradientGroups) {
      expect(parameters[group]).toEqual(Float64Array.from(valid[form][group]));
    }
  });

  test.each(gdnForms)("what the caller does to its arrays later changes nothing (%s)", (form) => {
    const kinds = [
      (values: readonly number[]) => Float64Array.from(values),
      (values: readonly number[]) => Float32Array.from(values),
      (values: readonly number[]) => [...values],
    ];
    for (const kind of kinds) {
      const arrays = Object.fromEntries(
        gradientGroups.map((group) => [group, kind(valid[form][group])]),
      ) as Record<Group, number[]>;
      const parameters = gdnParameters(inputOf(form, arrays));
      const before = structuredClone(parameters);
      for (const values of Object.values(arrays)) values.fill(NaN);
      expect(parameters).toEqual(before);
    }
  });

  test("no H, or null: the identity, kept as null", () => {
    const { form, dimension, alpha, beta, gamma, epsilon } = inputOf("column");
    const withoutH = { form, dimension, alpha, beta, gamma, epsilon };
    expect(gdnParameters(withoutH).H).toBeNull();
    expect(gdnParameters({ ...withoutH, H: null }).H).toBeNull();
  });

  test.each(gdnForms)("random layers, whatever the seed (%s)", (form) => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 12 }), (purpose, n) => {
        const random = createRandom(seed, "border", purpose);
        const parameters = randomParameters(random, { form, n, linear: true });
        expect(gdnParameters(parameters).alpha).toEqual(Float64Array.from(parameters.alpha));
      }),
      { numRuns: 50 },
    );
  });

  test.each(gdnForms)("the bounds themselves: alpha 1, gamma 0, epsilon 0 (%s)", (form) => {
    const lengths = valid[form];
    const input = inputOf(form, {
      alpha: lengths.alpha.map(() => 1),
      gamma: lengths.gamma.map(() => 0),
      epsilon: [0, -0, 0],
    });
    expect(sentenceOf(input)).toBe("no error");
  });

  test("the smallest beta that is a normal Float32, and none below", () => {
    const smallest = 1.1754943508222875e-38;
    expect(sentenceOf(inputOf("column", { beta: [smallest, 1, 1] }))).toBe("no error");
    expect(sentenceOf(inputOf("column", { beta: [1, 1e-40, 1] }))).toBe(
      `Expected beta[1] to be at least ${smallest} but received 1e-40.`,
    );
  });

  test.each(gdnForms)("epsilon = 1/alpha_ii, exactly and rounded to Float32 (%s)", (form) => {
    const random = createRandom(seed, "epsilon at its bound", form);
    for (let trial = 0; trial < 300; trial += 1) {
      const alpha = Float32Array.from(valid[form].alpha, () => 1 + 4 * random.uniform());
      const bound = [0, 1, 2].map((i) => 1 / alpha[form === "general" ? 4 * i : i]);
      expect(sentenceOf(inputOf(form, { alpha, epsilon: bound }))).toBe("no error");
      const rounded = Float32Array.from(bound);
      expect(sentenceOf(inputOf(form, { alpha, epsilon: rounded }))).toBe("no error");
    }
  });

  test("dimension 1 and 4096", () => {
    const one = { alpha: [2], beta: [1], gamma: [1], epsilon: [0.5], H: [-1e-30] };
    for (const form of gdnForms) {
      expect(sentenceOf({ form, dimension: 1, ...one })).toBe("no error");
    }
    const ones = new Float64Array(4096).fill(1);
    const many = { alpha: ones, beta: ones, gamma: ones, epsilon: ones };
    expect(sentenceOf({ form: "diagonal", dimension: 4096, ...many })).toBe("no error");
  });
});

describe("form and dimension", () => {
  test.each(["tied", "", undefined, 3])("form %o is refused", (form) => {
    const shown = form === undefined ? "undefined" : JSON.stringify(form);
    expect(sentenceOf({ ...inputOf("general"), form: form as GdnForm })).toBe(
      `Expected form to be one of general, column, diagonal but received ${shown}.`,
    );
  });

  test.each([0, -1, 1.5, 4097, 1e9, NaN, Infinity, -0])("dimension %d is refused", (dimension) => {
    const shown = Object.is(dimension, -0) ? "-0" : String(dimension);
    expect(sentenceOf({ ...inputOf("general"), dimension })).toBe(
      `Expected dimension to be an integer from 1 to 4096 but received ${shown}.`,
    );
  });

  test('dimension "3" is refused', () => {
    expect(sentenceOf({ ...inputOf("general"), dimension: "3" as unknown as number })).toBe(
      'Expected dimension to be an integer from 1 to 4096 but received "3".',
    );
  });
});

describe("lengths", () => {
  test.each(everyGroup)("$group of the $form form has one length only", ({ form, group }) => {
    const right = valid[form][group].length;
    const shape = right === 9 ? "9 values (3×3)" : "3 values";
    for (const length of [0, 1, 3, 6, 8, 9, 10, 12]) {
      if (length === right) continue;
      const values = new Float64Array(length).fill(1);
      expect(sentenceOf(inputOf(form, { [group]: values }))).toBe(
        `Expected ${group} to hold ${shape} but received ${length}.`,
      );
    }
  });
});

describe("values", () => {
  test.each(everyGroup)("$group of the $form form is finite throughout", ({ form, group }) => {
    for (const index of valid[form][group].keys()) {
      for (const value of [NaN, Infinity, -Infinity]) {
        expect(sentenceOf(withValue(form, group, index, value))).toBe(
          `Expected ${place(form, group, index)} to be finite but received ${value}.`,
        );
      }
    }
  });

  test.each(gdnForms)("alpha is at least 1 (%s)", (form) => {
    for (const index of valid[form].alpha.keys()) {
      for (const value of [1 - 2 ** -53, 0.5, 0, -2]) {
        expect(sentenceOf(withValue(form, "alpha", index, value))).toBe(
          `Expected ${place(form, "alpha", index)} to be at least 1 but received ${value}.`,
        );
      }
    }
  });

  test.each(gdnForms)("beta is greater than 0 (%s)", (form) => {
    for (const index of [0, 1, 2]) {
      for (const [value, shown] of [
        [0, "0"],
        [-0, "-0"],
        [-1e-12, "-1e-12"],
        [-1, "-1"],
      ] as const) {
        expect(sentenceOf(withValue(form, "beta", index, value))).toBe(
          `Expected beta[${index}] to be greater than 0 but received ${shown}.`,
        );
      }
    }
  });

  test.each(gdnForms)("gamma is at least 0 (%s)", (form) => {
    for (const index of valid[form].gamma.keys()) {
      for (const value of [-5e-324, -1]) {
        expect(sentenceOf(withValue(form, "gamma", index, value))).toBe(
          `Expected ${place(form, "gamma", index)} to be at least 0 but received ${value}.`,
        );
      }
    }
  });

  // Fails today: lists of one value are taken for matrices, "beta[0][0]".
  test("a list of one value is called a list", () => {
    const one = { alpha: [2], beta: [0], gamma: [1], epsilon: [0.5] };
    expect(sentenceOf({ form: "diagonal", dimension: 1, ...one })).toBe(
      "Expected beta[0] to be greater than 0 but received 0.",
    );
  });

  test("of several mistakes the first in order is told", () => {
    const input = inputOf("column", { alpha: [2, 0, -1], beta: [1, 0, 0], epsilon: [2, 2, 2] });
    expect(sentenceOf(input)).toBe("Expected alpha[1] to be at least 1 but received 0.");
  });
});

describe("epsilon lies from 0 to 1/alpha_ii", () => {
  // In the general form the bound of row i is that of its diagonal entry, not of any other.
  const bounds = [0.8, 0.4, 0.25];

  test.each(gdnForms)("%s", (form) => {
    for (const [i, bound] of bounds.entries()) {
      const alpha = form === "general" ? `alpha[${i}][${i}]` : `alpha[${i}]`;
      for (const value of [-1e-9, -1, bound * 1.00001, 1]) {
        expect(sentenceOf(withValue(form, "epsilon", i, value))).toBe(
          `Expected epsilon[${i}] to lie from 0 to 1/${alpha} = ${bound} but received ${value}.`,
        );
      }
    }
  });
});

describe("H is non-singular", () => {
  const refusal = (column: number): RegExp =>
    new RegExp(
      `^Expected H to be non-singular \\(column ${column} must not depend on those before it\\) ` +
        `but received "a pivot of -?[0-9.e-]+"\\.$`,
    );

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
  ])("$what is refused", ({ H, column }) => {
    expect(sentenceOf(inputOf("general", { H }))).toMatch(refusal(column));
    // The size of H must not matter.
    for (const scale of [1e-30, 1e30]) {
      const scaled = H.map((value) => scale * value);
      expect(sentenceOf(inputOf("general", { H: scaled }))).toMatch(refusal(column));
    }
  });

  const layerOf64 = (H: Float64Array): GdnInput => {
    const ones = new Float64Array(64).fill(1);
    return {
      form: "diagonal",
      dimension: 64,
      H,
      alpha: ones,
      beta: ones,
      gamma: ones,
      epsilon: ones,
    };
  };

  /** One row becomes a combination of all others, but for rounding errors. */
  function makeDependent(H: Float64Array, row: number, weights: Float64Array): void {
    for (let j = 0; j < 64; j += 1) {
      let sum = 0;
      for (let i = 0; i < 64; i += 1) if (i !== row) sum += weights[i] * H[i * 64 + j];
      H[row * 64 + j] = sum;
    }
  }

  test(`random 64×64 matrices are accepted, with a repeated row refused (seed ${seed})`, () => {
    for (let trial = 0; trial < 20; trial += 1) {
      const random = createRandom(seed, "repeated row", trial);
      const H = random.normalFill(new Float64Array(64 * 64));
      expect(sentenceOf(layerOf64(H))).toBe("no error");
      makeDependent(
        H,
        63 - trial,
        Float64Array.from({ length: 64 }, (_, i) => Number(i === trial)),
      );
      expect(sentenceOf(layerOf64(H))).toMatch(refusal(63));
    }
  });

  // Fails today in 4 % of the trials: n·ε·scale is too small a threshold for the last pivot.
  test("random 64×64 matrices of rank 63 are refused", () => {
    for (let trial = 0; trial < 100; trial += 1) {
      const random = createRandom(1, "rank", trial);
      const H = random.normalFill(new Float64Array(64 * 64));
      makeDependent(H, random.integer(64), random.normalFill(new Float64Array(64)));
      expect(sentenceOf(layerOf64(H))).toMatch(refusal(63));
    }
  });

  test("small, permuted, negative and badly conditioned matrices are accepted", () => {
    for (const H of [
      [1e-30, 0, 0, 0, 1e-30, 0, 0, 0, 1e-30],
      [0, 1, 0, 0, 0, 1, 1, 0, 0],
      [-1, 0, 0, 0, -1, 0, 0, 0, -1],
      [1, 1, 1, 1, 1 + 1e-9, 1, 1, 1, 1 + 1e-9],
    ]) {
      expect(sentenceOf(inputOf("general", { H }))).toBe("no error");
    }
  });
});

describe("checkSamples", () => {
  test("gives the number of samples", () => {
    expect(checkSamples(new Float32Array(12), 3)).toBe(4);
    expect(checkSamples(new Float64Array(5), 1)).toBe(5);
  });

  test.each([0, 1, 2, 4, 10])("refuses %i values for 3 dimensions", (length) => {
    expect(() => checkSamples(new Float64Array(length), 3)).toThrow(
      `Expected x to hold a whole number of samples of 3 values but received ${length}.`,
    );
  });

  test.each([NaN, Infinity, -Infinity])(
    "refuses %d, and says in which sample and component",
    (bad) => {
      for (const type of [Float32Array, Float64Array]) {
        const x = new type(12);
        x[7] = bad;
        x[11] = bad;
        expect(() => checkSamples(x, 3)).toThrow(
          `Expected x[2][1] to be finite but received ${bad}.`,
        );
      }
    },
  );
});

describe("what is no record of parameters at all", () => {
  const layer = { form: "column", dimension: 1, alpha: [1], beta: [1], gamma: [1], epsilon: [0.5] };

  test.each([
    [undefined, "Expected the parameters of a layer to be a record but received undefined."],
    [
      { ...layer, gamma: undefined },
      "Expected gamma to be an array of numbers but received undefined.",
    ],
    [{ ...layer, alpha: "2" }, 'Expected alpha to be an array of numbers but received "2".'],
    [
      { ...layer, alfa: [1] },
      'Expected the parameters of a layer to have the fields form, dimension, H, alpha, beta, gamma, epsilon but received "alfa".',
    ],
    [
      { ...layer, gamma: [1e39] },
      "Expected gamma[0][0] to lie within ±3.4028234663852886e+38, the range of Float32 but received 1e+39.",
    ],
  ])("%o", (input, message) => {
    expect(() => gdnParameters(input as unknown as GdnInput)).toThrow(message);
  });

  test("is refused by every pass, too", async () => {
    const bad = { ...gdnParameters(layer as GdnInput), beta: Float64Array.of(-1) };
    const x = Float64Array.of(1, 2);
    for (const pass of [gaussianize, score, negentropyGradient]) {
      await expect(async () => pass(referenceRunner, bad, x)).rejects.toThrow(
        "Expected beta[0] to be greater than 0 but received -1.",
      );
    }
  });

  test("nor is a list a batch", () => {
    expect(() => checkSamples([1, 2] as unknown as Float64Array, 2)).toThrow(
      "Expected x to be a Float32Array or Float64Array but received [1, 2].",
    );
  });
});
