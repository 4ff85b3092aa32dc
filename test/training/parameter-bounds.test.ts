import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { projectOntoBounds } from "../../src/training/parameter-bounds.js";
import { trusted } from "../../src/transforms/checks.js";
import { type Affine, affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { type StructureSize, freeLengths } from "../../src/transforms/gdn-structures.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { mapParameters } from "../../src/transforms/parameters.js";
import { type Pointwise, pointwise } from "../../src/transforms/pointwise.js";
import { refusal } from "../support/expect-error.js";
import { everyStructure, isNeverCertified, largestExponentProduct } from "../support/gdn-layers.js";

const precisions = [
  { precision: "Float32", floats: Float32Array },
  { precision: "Float64", floats: Float64Array },
] as const;
const structuresInPrecisions = everyStructure.flatMap((size) =>
  precisions.map((precision) => ({ ...size, ...precision })),
);

/** A layer with unchecked values. */
function uncheckedLayer(
  { structure, dimension, partition, rank }: (typeof everyStructure)[number],
  fill: (length: number) => FloatArray,
): Gdn {
  const size: StructureSize = {
    structure,
    dimension,
    partition: partition ? Int32Array.from(partition) : null,
    ...(rank !== undefined && { rank }),
  };
  const { alpha, beta, gamma, epsilon } = freeLengths(size);
  return {
    kind: "gdn",
    ...size,
    H: null,
    alpha: fill(alpha),
    beta: fill(beta),
    gamma: fill(gamma),
    epsilon: fill(epsilon),
  } as Gdn;
}

const wild = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, k) => 3 * Math.sin(7 * k + 1));

/**
 * Anything a step may have made, as long as it is finite in Float32; often at and near the bounds.
 */
const anyValue = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ noNaN: true, min: -4, max: 4 }),
  fc.constantFrom(0, -0, 1, -1, 1e-45, 1e-38, 3.4028234663852886e38, -3.4028234663852886e38),
);

describe("projectOntoBounds", () => {
  test.each(everyStructure)(
    "brings any $structure parameters where the border accepts them",
    (size) => {
      const layer = uncheckedLayer(size, wild);
      // β alone is within its bounds here, and all that is free in classic.
      if (size.structure !== "classic") expect(() => gdn(layer)).toThrow();
      projectOntoBounds(layer);
      expect(() => gdn(layer)).not.toThrow();
    },
  );

  test.each(structuresInPrecisions)(
    "brings whatever values of $structure where the border accepts them, certified or not ($precision)",
    ({ floats, ...size }) => {
      const values = fc.array(anyValue, { minLength: 8, maxLength: 8 });
      fc.assert(
        fc.property(values, fc.boolean(), (given, certified) => {
          let next = 0;
          const layer = uncheckedLayer(size, (length) =>
            new floats(length).map(() => given[next++ % given.length]),
          );
          projectOntoBounds(layer, { certified });
          expect(() => gdn(layer)).not.toThrow();
          if (certified && !isNeverCertified(size.structure)) {
            expect(largestExponentProduct(layer)).toBeLessThan(1);
          }
        }),
        { numRuns: 200 },
      );
    },
  );

  test.each(everyStructure)("does not change valid $structure parameters", (size) => {
    for (const certified of [false, true]) {
      const layer = startingGdn({ ...size, H: null });
      const before = structuredClone(layer);
      projectOntoBounds(layer, { certified });
      expect(layer).toEqual(before);
    }
  });

  test("does not change parameters within the bounds", () => {
    const make = () =>
      gdn({
        structure: "column",
        dimension: 2,
        alpha: Float64Array.of(1, 2),
        beta: Float64Array.of(1, 0.1),
        gamma: Float64Array.of(0, 1, 2, 3),
        epsilon: Float64Array.of(0, 0.49),
      });
    const layer = make();
    projectOntoBounds(layer);
    expect(layer).toEqual(make());
  });

  test("keeps low-rank factors above 0, but not g", () => {
    const layer = startingGdn({ structure: "low-rank", dimension: 3, rank: 2 });
    layer.gamma.fill(-1);
    projectOntoBounds(layer);
    expect([...layer.gamma.subarray(0, 3)]).toEqual([0, 0, 0]);
    for (const value of layer.gamma.subarray(3)) expect(value).toBe(Math.fround(1e-6));
  });

  test("keeps a margin to α_ii ε_i = 1", () => {
    const layer = gdn({
      structure: "marginal",
      dimension: 1,
      alpha: [2],
      beta: [1],
      gamma: [1],
      epsilon: [0.5],
    });
    projectOntoBounds(layer);
    expect(2 * layer.epsilon[0]).toBeCloseTo(0.999, 12);
  });

  test("if certified, keeps a margin to α_ij ε_i = 1 for every pooled j", () => {
    const general = gdn({
      structure: "general",
      dimension: 2,
      alpha: [1, 4, 1, 2],
      beta: [1, 1],
      gamma: [1, 1, 1, 1],
      epsilon: [0.9, 0.45],
    });
    projectOntoBounds(general, { certified: true });
    // Row 0 pools an exponent of 4; row 1 is within its bounds.
    expect([...general.epsilon]).toEqual([0.999 / 4, 0.45]);
    const column = gdn({
      structure: "column",
      dimension: 2,
      alpha: [1, 4],
      beta: [1, 1],
      gamma: [1, 1, 1, 1],
      epsilon: [0.9, 0.2],
    });
    projectOntoBounds(column, { certified: true });
    expect([...column.epsilon]).toEqual([0.999 / 4, 0.2]);
    // No component pools another one here.
    const marginal = gdn({
      structure: "marginal",
      dimension: 2,
      alpha: [1, 4],
      beta: [1, 1],
      gamma: [1, 1],
      epsilon: [0.9, 0.2],
    });
    projectOntoBounds(marginal, { certified: true });
    expect([...marginal.epsilon]).toEqual([0.9, 0.2]);
  });

  describe.each(precisions)("$precision", ({ floats }) => {
    const scalar = (value: number): FloatArray => new floats([value]);

    test("moves any affine scale to a valid value of the same sign", () => {
      fc.assert(
        fc.property(fc.array(anyValue, { minLength: 1, maxLength: 6 }), (given) => {
          const scale = new floats(given);
          const before = scale.slice();
          const stage = trusted<Affine>({
            kind: "affine",
            dimension: given.length,
            scale,
            shift: new floats(given),
          });
          projectOntoBounds(stage);
          expect(() => affine(stage)).not.toThrow();
          before.forEach((value, k) => {
            if (value !== 0) expect(Math.sign(scale[k])).toBe(Math.sign(value));
            if (Math.abs(value) >= 1e-6) expect(scale[k]).toBe(value);
          });
          expect(stage.shift).toEqual(before);
        }),
      );
    });

    test("moves any constants of a pointwise curve to valid values", () => {
      const values = fc.tuple(anyValue, anyValue, anyValue, anyValue, anyValue);
      fc.assert(
        fc.property(values, ([lower, upper, rate, asymmetry, center]) => {
          // A curve at the end of the Float32 range cannot move further.
          fc.pre(Math.abs(lower) < 3e38);
          const stage = trusted<Pointwise>({
            kind: "pointwise",
            dimension: 2,
            lower: scalar(lower),
            upper: scalar(upper),
            rate: scalar(rate),
            asymmetry: scalar(asymmetry),
            center: scalar(center),
          });
          projectOntoBounds(stage);
          expect(() => pointwise(stage)).not.toThrow();
        }),
      );
    });

    test("tells the ends of a pointwise curve apart, however large they are", () => {
      for (const lower of [0, 1, 100, -100, 1e6, -1e30]) {
        const stage = trusted<Pointwise>({
          ...pointwise({ dimension: 1, lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 }),
          lower: scalar(lower),
          upper: scalar(lower - 1),
        });
        projectOntoBounds(stage);
        expect(stage.lower[0]).toBe(scalar(lower)[0]);
        expect(stage.upper[0]).toBeGreaterThan(stage.lower[0]);
      }
    });
  });

  test("does not change valid affine and pointwise parameters, or any linear ones", () => {
    const stages = [
      affine({ dimension: 2, scale: [1e-5, -2], shift: [-7, 0] }),
      pointwise({ dimension: 2, lower: -1, upper: 2, rate: 0.1, asymmetry: 3, center: -5 }),
      linear({ dimension: 2, H: [1e-20, 1, -1, 0] }),
    ];
    for (const stage of [...stages, cascade(stages)]) {
      const before = structuredClone(stage);
      projectOntoBounds(stage);
      expect(stage).toEqual(before);
    }
  });

  test("keeps the values that `holds` names inside of the interval of a pointwise stage", () => {
    const curve = pointwise({ dimension: 1, lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 });
    projectOntoBounds(curve, { holds: [-1, 3] });
    expect([curve.lower[0], curve.upper[0]]).toEqual([-1.0004, 3.0004]);
    projectOntoBounds(curve, { holds: [0, 1] });
    expect([curve.lower[0], curve.upper[0]]).toEqual([-1.0004, 3.0004]);
  });

  test("works on every stage of a cascade", () => {
    const layer = uncheckedLayer(everyStructure[0], wild);
    const moved = trusted<Affine>({ ...affine({ dimension: 4 }), scale: new Float64Array(4) });
    const stages = mapParameters(cascade([moved, layer]), (values) => values.slice());
    projectOntoBounds(stages);
    projectOntoBounds(layer);
    projectOntoBounds(moved);
    expect(stages.stages).toEqual([moved, layer]);
  });

  test("keeps exponents below the requested bound, in all rows if certified", () => {
    const make = (): Gdn => {
      const layer = startingGdn({ structure: "column", dimension: 3 });
      layer.alpha.set([1, 2.5, 4]);
      layer.epsilon.fill(1);
      return layer;
    };
    const own = make();
    projectOntoBounds(own, { exponentBound: 0.8 });
    own.epsilon.forEach((value, i) => {
      expect(value * own.alpha[i]).toBeCloseTo(0.8, 6);
    });
    const all = make();
    projectOntoBounds(all, { certified: true, exponentBound: 0.8 });
    all.epsilon.forEach((value) => {
      expect(4 * value).toBeCloseTo(0.8, 6);
    });
    expect(() => {
      projectOntoBounds(make(), { exponentBound: 1 });
    }).toThrow(refusal("exponentBound", "be above 0 and below 1", 1));
  });
});
