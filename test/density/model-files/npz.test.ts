import { describe, expect, test } from "vitest";
import { modelArrays } from "../../../src/density/model-files/model-arrays.js";
import { type NpyArray, encodeNpz } from "../../../src/density/model-files/npz.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { type Gdn, gdn } from "../../../src/transforms/gdn.js";
import { expectClose, expectSameBits } from "../../support/expect-close.js";
import { refusal } from "../../support/expect-error.js";
import { about, everyModel, randomLayer } from "../../support/models.js";
import { type LoadedArray, readNpz } from "../../support/python.js";
import { seed } from "../../support/seed.js";

describe("arrays", () => {
  const arrays: Record<string, NpyArray> = {
    "a.f4": { shape: [3], values: Float32Array.of(1.5, -0, 1e-45) },
    "a.f8": { shape: [2, 3], values: Float64Array.of(0.1, 2, 3, -4, 5e-324, 1e308) },
    i4: { shape: [2, 1, 1], values: Int32Array.of(-(2 ** 31), 7) },
    scalar: { shape: [], values: Float64Array.of(Math.PI) },
    text: '{"木": "\u{1F333}"}',
  };

  test("are read back by the published format, with their types and shapes", () => {
    const loaded = readNpz(encodeNpz(arrays));
    expect(Object.keys(loaded)).toEqual(Object.keys(arrays));
    for (const [name, array] of Object.entries(arrays)) {
      if (typeof array === "string") continue;
      expectSameBits(loaded[name].values, array.values, name);
      expect(loaded[name].shape).toEqual(array.shape);
    }
    const types = Object.values(loaded).map(({ type }) => type);
    expect(types).toEqual(["<f4", "<f8", "<i4", "<f8", "|S15"]);
    expect(loaded.text.text).toBe(arrays.text);
  });

  test("give the same bytes at any time and in any time zone", () => {
    const first = encodeNpz(arrays);
    const zone = process.env.TZ;
    process.env.TZ = "Pacific/Kiritimati";
    const second = encodeNpz(arrays);
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(second).toEqual(first);
  });

  test("are stored in the zip without compression", () => {
    const values = new Float64Array(1000);
    expect(encodeNpz({ zeros: { shape: [1000], values } }).length).toBeGreaterThan(8000);
  });

  test("must have as many values as their shape", () => {
    expect(() => encodeNpz({ a: { shape: [2, 2], values: Float32Array.of(1) } })).toThrow(
      refusal("the array a", "hold 4 values, by its shape [2, 2],", 1),
    );
  });
});

/** y by the formula that docs/model-files.md gives for Python. */
function gdnByFormula(arrays: Record<string, LoadedArray>, x: readonly number[]): number[] {
  const n = x.length;
  const group = (name: string): readonly number[] => arrays[`stages.0.${name}`].values;
  const [H, alpha, gamma] = [group("H"), group("alpha"), group("gamma")];
  const z = x.map((_, i) => x.reduce((sum, xj, j) => sum + H[i * n + j] * xj, 0));
  return z.map((zi, i) => {
    const pool = z.reduce(
      (sum, zj, j) => sum + gamma[i * n + j] * Math.abs(zj) ** alpha[i * n + j],
      0,
    );
    return zi / (group("beta")[i] + pool) ** group("epsilon")[i];
  });
}

/** The same from the layer's own free parameters, each structure by its definition (paper §3.1). */
function gdnByStructure(layer: Gdn, x: readonly number[]): number[] {
  const n = x.length;
  const { H, structure, alpha, beta, gamma, epsilon, partition } = layer;
  const z = x.map((xi, i) => (H ? x.reduce((sum, xj, j) => sum + H[i * n + j] * xj, 0) : xi));
  const power = (j: number, exponent: number): number => Math.abs(z[j]) ** exponent;
  const pooled = (term: (j: number) => number): number => z.reduce((sum, _, j) => sum + term(j), 0);
  return z.map((zi, i) => {
    const k = partition ? partition[i] : 0;
    switch (structure) {
      case "general":
        return (
          zi /
          (beta[i] + pooled((j) => gamma[i * n + j] * power(j, alpha[i * n + j]))) ** epsilon[i]
        );
      case "column":
        return zi / (beta[i] + pooled((j) => gamma[i * n + j] * power(j, alpha[j]))) ** epsilon[i];
      case "marginal":
        return zi / (beta[i] + gamma[i] * power(i, alpha[i])) ** epsilon[i];
      case "radial":
        return zi / (beta[0] + gamma[0] * pooled((j) => power(j, 2))) ** epsilon[0];
      case "lp":
        return zi / (beta[0] + gamma[0] * pooled((j) => power(j, alpha[0]))) ** epsilon[0];
      case "subspace":
        return (
          zi /
          (beta[k] + gamma[k] * pooled((j) => (partition[j] === k ? power(j, 2) : 0))) ** epsilon[k]
        );
      case "classic":
        return zi / (beta[0] + pooled((j) => power(j, 1)));
      case "weighted-l2":
        return zi / Math.sqrt(beta[0] + pooled((j) => gamma[j] * power(j, 2)));
      case "low-rank": {
        // Rank 2 has g, two columns of U and two of V.
        const row = (r: number, j: number): number => gamma[r * n + j];
        const weight = (j: number): number =>
          row(1, i) * row(3, j) + row(2, i) * row(4, j) + (i === j ? row(0, i) : 0);
        return zi / (beta[i] + pooled((j) => weight(j) * power(j, alpha[j]))) ** epsilon[i];
      }
    }
  });
}

describe(`modelArrays (seed ${seed})`, () => {
  const random = createRandom(seed, "npz");
  const layers = everyModel().flatMap(([name, { transform }]) =>
    transform.kind === "gdn" ? [[name, transform] as const] : [],
  );

  test.each(layers)("%s: one formula for every structure", (_, layer) => {
    const arrays = readNpz(encodeNpz(modelArrays({ transform: layer, about })));
    const n = layer.dimension;
    const shapes = Object.fromEntries(
      Object.entries(arrays).map(([name, { shape }]) => [name, shape]),
    );
    expect(shapes).toEqual({
      "stages.0.H": [n, n],
      "stages.0.alpha": [n, n],
      "stages.0.gamma": [n, n],
      "stages.0.beta": [n],
      "stages.0.epsilon": [n],
      metadata: [],
    });
    const x = [...random.normalFill(new Float64Array(n))];
    // The same sums in another order: a few roundings, which the exponents of up to 1 do not
    // enlarge.
    expectClose(gdnByFormula(arrays, x), gdnByStructure(layer, x), { relative: 1e-14 });
  });

  test("other transforms as they are, in order, and all the rest as JSON", () => {
    const [, model] = everyModel().find(([name]) => name.startsWith("a cascade of all"))!;
    const arrays = readNpz(encodeNpz(modelArrays(model)));
    expect(arrays["stages.0.H"].shape).toEqual([5, 5]);
    expect(arrays["stages.1.shift"].shape).toEqual([5]);
    expect(arrays["stages.2.rate"].shape).toEqual([1]);
    const { format, version, transform, ...read } = JSON.parse(arrays.metadata.text) as Record<
      string,
      unknown
    >;
    expect([format, version]).toEqual(["gaussianize", "1"]);
    expect((transform as { kind: string }).kind).toBe("cascade");
    expect(read).toEqual(model.about);
  });

  test("in the precision of their parameters", () => {
    const layer = randomLayer(random, "column", { precision: "Float32" }) as Gdn;
    const arrays = readNpz(encodeNpz(modelArrays({ transform: layer, about: {} })));
    expect(arrays["stages.0.alpha"].type).toBe("<f4");
    expectSameBits(arrays["stages.0.gamma"].values, spreadOverEntries(layer).gamma);
  });

  test.each([6, 40])("tied weights of %d components, too", (dimension) => {
    const [beta, gamma, epsilon] = [1, 0.1, 0.4].map((value) => Float32Array.of(value));
    const transform = gdn({ structure: "radial", dimension, beta, gamma, epsilon });
    const arrays = readNpz(encodeNpz(modelArrays({ transform, about: {} })));
    expect(arrays["stages.0.gamma"].type).toBe("<f4");
    expectSameBits(
      arrays["stages.0.gamma"].values,
      new Float32Array(dimension * dimension).fill(0.1),
    );
  });
});
