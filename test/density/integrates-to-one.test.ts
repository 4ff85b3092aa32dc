/**
 * Densities integrate to 1, or to the share of the normal distribution that lies in the range of
 * the transform.
 */
import { describe, test } from "vitest";
import { logProb } from "../../src/density/induced-density.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn, gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import type { Transform } from "../../src/transforms/transform.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { type LineRule, type Node, intervalNodes, lineNodes } from "../support/quadrature.js";
import { normalCdf } from "../support/statistics.js";

const precisions = [
  {
    name: "Float64, to 1e-8",
    runner: referenceRunner,
    absolute: 1e-8,
    line: { step: 1 / 32, reach: 1e12 },
    plane: { step: 1 / 14, reach: 1e12 },
  },
  // Float32 ends at 3e38: |z|^3.5 must not. Where the tail is as heavy as 1/z², I − M ends at z =
  // 1e7.
  {
    name: "Float32, to 1e-4",
    runner: simdRunner,
    absolute: 1e-4,
    line: { step: 1 / 16, reach: 1e5 },
    plane: { step: 1 / 8, reach: 1e5 },
  },
];

/**
 * ∫ p(x) dx, x = `matrix` z: the kinks of a GDN lie where z has a 0, and the rule is laid along z.
 */
async function integral(
  runner: TaskRunner,
  transform: Transform,
  nodes: readonly Node[],
  matrix: readonly number[] = [1, 0, 0, 1],
): Promise<number> {
  if (transform.dimension === 1) {
    const density = await logProb(
      runner,
      transform,
      Float64Array.from(nodes, ({ at }) => at),
    );
    return nodes.reduce((sum, { weight }, k) => sum + weight * Math.exp(density[k]), 0);
  }
  const [a, b, c, d] = matrix;
  const x = new Float64Array(2 * nodes.length ** 2);
  nodes.forEach((first, i) => {
    nodes.forEach((second, j) => {
      const k = 2 * (i * nodes.length + j);
      x[k] = a * first.at + b * second.at;
      x[k + 1] = c * first.at + d * second.at;
    });
  });
  const density = await logProb(runner, transform, x);
  let sum = 0;
  nodes.forEach((first, i) => {
    nodes.forEach((second, j) => {
      sum += first.weight * second.weight * Math.exp(density[i * nodes.length + j]);
    });
  });
  return sum * Math.abs(a * d - b * c);
}

/**
 * A transform with the share of the normal distribution in its range, and the H whose zeros are its
 * kinks.
 */
interface Case {
  readonly name: string;
  readonly transform: Transform;
  readonly mass?: number;
  readonly H?: readonly number[];
  /** α_ii ε_i = 1 with α_ii = 2: I − M is 1/z² far out, and rounded to 0 where 1/z would not be. */
  readonly isQuadratic?: boolean;
}

/** P(|Y| < bound) of a normal Y. */
const within = (bound: number): number => 2 * normalCdf(bound) - 1;
const layer = (structure: "general" | "lp" | "marginal", groups: Record<string, number>) =>
  gdnOfAnyStructure({
    structure,
    dimension: 1,
    ...Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, [value]])),
  });

const ofOneDimension: readonly Case[] = [
  {
    name: "general",
    transform: layer("general", { alpha: 1.37, beta: 0.1, gamma: 0.7, epsilon: 0.4 }),
  },
  {
    name: "general, α = 1, α ε = 0.8",
    transform: layer("general", { alpha: 1, beta: 0.5, gamma: 2, epsilon: 0.8, H: 2 }),
  },
  {
    name: "general, γ = 0",
    transform: layer("general", { alpha: 2, beta: 0.3, gamma: 0, epsilon: 0.5, H: -2 }),
  },
  {
    name: "general, α ε = 1: |y| < γ^−ε",
    transform: layer("general", { alpha: 1, beta: 0.6, gamma: 1, epsilon: 1 }),
    mass: within(1),
  },
  {
    // g and U V share the weight.
    name: "low-rank, with H",
    transform: gdn({
      structure: "low-rank",
      dimension: 1,
      rank: 1,
      H: [0.25],
      alpha: [1.37],
      beta: [0.1],
      gamma: [0.35, 0.175, 2],
      epsilon: [0.4],
    }),
  },
  {
    name: "lp, p = 3.5, with H",
    transform: layer("lp", { alpha: 3.5, beta: 2, gamma: 5, epsilon: 0.15, H: 0.25 }),
  },
  {
    name: "marginal, α ε = 1: |y| < γ^−ε",
    transform: layer("marginal", { alpha: 2, beta: 0.6, gamma: 0.4, epsilon: 0.5 }),
    mass: within(0.4 ** -0.5),
    isQuadratic: true,
  },
  {
    name: "column, with H",
    transform: gdn({
      structure: "column",
      dimension: 1,
      H: [-3],
      alpha: [2],
      beta: [1],
      gamma: [1],
      epsilon: [0.3],
    }),
  },
  {
    name: "radial",
    transform: gdn({ structure: "radial", dimension: 1, beta: [1], gamma: [2], epsilon: [0.4] }),
  },
  {
    name: "classic: |y| < 1",
    transform: gdn({ structure: "classic", dimension: 1, beta: [0.6] }),
    mass: within(1),
  },
  {
    name: "weighted-l2: γ y² < 1",
    transform: gdn({ structure: "weighted-l2", dimension: 1, beta: [0.8], gamma: [0.3] }),
    mass: within(1 / Math.sqrt(0.3)),
    isQuadratic: true,
  },
  { name: "linear", transform: linear({ dimension: 1, H: [-0.4] }) },
  // The rule is made for a density around 0, and the densest point of this one is 0.3/1.7.
  { name: "affine", transform: affine({ dimension: 1, scale: [-1.7], shift: [0.3] }) },
];

const curves = [
  { lower: 0, upper: 1, rate: 1, asymmetry: 1, center: 0 },
  { lower: -0.25, upper: 1.5, rate: 0.8, asymmetry: 0.5, center: -2 },
  { lower: -2, upper: 260, rate: 1.75, asymmetry: 2.5, center: 0.25 },
];

const H = [1.5, -0.4, 0.7, 0.6];
const determinant = H[0] * H[3] - H[1] * H[2];
const inverseOfH = [H[3], -H[1], -H[2], H[0]].map((value) => value / determinant);
const general = {
  structure: "general",
  dimension: 2,
  alpha: [1.6, 1.2, 1.9, 2.3],
  beta: [0.4, 1.3],
  gamma: [0.9, 0.2, 0.5, 1.1],
  epsilon: [0.35, 0.25],
} as const;
const symmetric = { dimension: 2, beta: [0.7], gamma: [0.4], epsilon: [0.35] } as const;

const ofTwoDimensions: readonly Case[] = [
  { name: "general, asymmetric", transform: gdn(general) },
  { name: "general, with H", transform: gdn({ ...general, H }), H },
  {
    name: "column, one weight 0",
    transform: gdn({
      structure: "column",
      dimension: 2,
      alpha: [1, 1.7],
      beta: [0.7, 0.2],
      gamma: [1, 0.6, 0, 0.8],
      epsilon: [0.4, 0.3],
    }),
  },
  {
    name: "marginal, with H",
    transform: gdn({
      structure: "marginal",
      dimension: 2,
      H,
      alpha: [1.3, 2.4],
      beta: [1, 0.5],
      gamma: [0.4, 3],
      epsilon: [0.5, 0.2],
    }),
    H,
  },
  { name: "radial", transform: gdn({ structure: "radial", ...symmetric }) },
  { name: "radial, with H", transform: gdn({ structure: "radial", ...symmetric, H }), H },
  { name: "lp, p = 1.3", transform: gdn({ structure: "lp", ...symmetric, alpha: [1.3] }) },
  {
    name: "subspace, one of two dimensions",
    transform: gdn({ structure: "subspace", ...symmetric, partition: [0, 0] }),
  },
  {
    name: "subspace, two of one dimension, with H",
    transform: gdn({
      structure: "subspace",
      dimension: 2,
      partition: [1, 0],
      H,
      beta: [0.7, 1.2],
      gamma: [0.4, 0.9],
      epsilon: [0.35, 0.2],
    }),
    H,
  },
  {
    // (Y_1 ± Y_2)/√2 are independent and normal, and both below 1/√2 in size.
    name: "classic: |y_1| + |y_2| < 1",
    transform: gdn({ structure: "classic", dimension: 2, beta: [0.6] }),
    mass: within(Math.SQRT1_2) ** 2,
  },
  {
    name: "weighted-l2: Σ γ_j y_j² < 1, an ellipse",
    transform: gdn({ structure: "weighted-l2", dimension: 2, beta: [0.8], gamma: [0.3, 0.9] }),
    mass: massOfEllipse(0.3, 0.9),
    isQuadratic: true,
  },
  {
    name: "weighted-l2, equal weights, with H: a disc",
    transform: gdn({ structure: "weighted-l2", dimension: 2, H, beta: [0.8], gamma: [0.5, 0.5] }),
    H,
    mass: 1 - Math.exp(-1),
    isQuadratic: true,
  },
  { name: "linear", transform: linear({ dimension: 2, H }), H },
  { name: "affine", transform: affine({ dimension: 2, scale: [0.8, -2], shift: [0.3, -0.1] }) },
  {
    // The second GDN keeps the kinks where they are; the affine stage comes after all of them.
    name: "cascade linear → gdn → gdn → affine",
    transform: cascade([
      linear({ dimension: 2, H }),
      gdn(general),
      gdn({ structure: "radial", ...symmetric }),
      affine({ dimension: 2, scale: [0.8, -1.5], shift: [0.5, -0.2] }),
    ]),
    H,
  },
];

/** P(a Y_1² + b Y_2² < 1), along Y_1 = sin θ/√a. */
function massOfEllipse(a: number, b: number): number {
  const steps = 400;
  let sum = 0;
  for (let k = 0; k < steps; k += 1) {
    const theta = Math.PI * ((k + 0.5) / steps - 0.5);
    const y = Math.sin(theta) / Math.sqrt(a);
    const slope = Math.cos(theta) / Math.sqrt(a);
    const density = Math.exp(-0.5 * y * y) / Math.sqrt(2 * Math.PI);
    sum += density * slope * within(Math.cos(theta) / Math.sqrt(b)) * (Math.PI / steps);
  }
  return sum;
}

const nodesFor = ({ step, reach }: LineRule, { isQuadratic }: Case): Node[] =>
  lineNodes({ step, reach: isQuadratic ? Math.sqrt(reach) : reach });

describe.each(precisions)("$name", ({ runner, absolute, line, plane }) => {
  test.each(ofOneDimension)("one dimension: $name", async (given) => {
    const total = await integral(runner, given.transform, nodesFor(line, given));
    expectClose(total, given.mass ?? 1, { absolute });
  });

  test.each(curves)("one dimension: pointwise, %o", async (curve) => {
    const transform = pointwise({ dimension: 1, ...curve });
    const nodes = intervalNodes(curve.lower, curve.upper, line.step);
    expectClose(await integral(runner, transform, nodes), 1, { absolute });
  });

  test.each(ofTwoDimensions)("two dimensions: $name", async (given) => {
    const nodes = nodesFor(plane, given);
    const total = await integral(runner, given.transform, nodes, given.H && inverseOfH);
    expectClose(total, given.mass ?? 1, { absolute });
  });

  test.each(curves)("two dimensions: pointwise → affine → gdn → linear, %o", async (curve) => {
    // α = 2 has no kinks, wherever z has its zeros; ε is small, since the ends of the interval are
    // only 33/B away.
    const transform = cascade([
      pointwise({ dimension: 2, ...curve }),
      affine({ dimension: 2, scale: [0.9, -1.25], shift: [0.5, -0.25] }),
      gdn({ ...general, H, alpha: [2, 2, 2, 2], epsilon: [0.15, 0.1] }),
      linear({ dimension: 2, H: [1.5, 0.25, -0.5, 2] }),
    ]);
    const nodes = intervalNodes(curve.lower, curve.upper, plane.step);
    expectClose(await integral(runner, transform, nodes), 1, { absolute });
  });
});
