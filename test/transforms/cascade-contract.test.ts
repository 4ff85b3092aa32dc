/** Cascades of all kinds of transforms. */
import { describe, expect, test } from "vitest";
import { gaussianize, score } from "../../src/density/induced-density.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade, stagesOf } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { checkedTransform } from "../../src/transforms/checked-transform.js";
import type { Stage } from "../../src/transforms/transform.js";
import { precisions } from "../contracts/precisions.js";
import { describeTransformContract } from "../contracts/transform-contract.js";
import {
  type TransformCase,
  asFloat32,
  caseSamples,
  curveOf,
  gdnCase,
  hardSamples,
  intensities,
  mixing,
  normals,
  randomOf,
} from "../support/transform-cases.js";

const n = 4;
const curve = curveOf(n, { lower: -0.1, upper: 1.2, rate: 1.5, asymmetry: 0.7, center: -0.5 });
const moved = affine({
  dimension: n,
  scale: asFloat32([0.8, -1.2, 1.1, 0.6]),
  shift: asFloat32([0.3, -0.2, 0.1, -0.4]),
});
const mixed = linear({ dimension: n, H: mixing(randomOf("cascade"), n) });
/** Well inside the bounds, because the inputs of later stages may be large. */
const general = gdn({
  structure: "general",
  dimension: n,
  H: mixing(randomOf("cascade, first H"), n),
  alpha: asFloat32([1.5, 1.2, 1, 1.4, 1.1, 2, 1.7, 1.3, 1, 1.25, 1.8, 1.6, 1.9, 1.35, 1.45, 1.55]),
  beta: asFloat32([1, 0.7, 1.3, 0.9]),
  gamma: asFloat32([0.4, 0.1, 0, 0.05, 0.2, 0.6, 0.1, 0, 0.02, 0.3, 0.5, 0.1, 0, 0, 0.15, 0.3]),
  epsilon: asFloat32([0.4, 0.3, 0, 0.35]),
});
const column = gdnCase("column", { name: "column in a cascade", n, hasH: false })
  .transform as Stage;

function imageCase(name: string, stages: Parameters<typeof cascade>[0]): TransformCase {
  const random = randomOf("images", name);
  return {
    name,
    transform: cascade(stages),
    x: intensities(random, curve, caseSamples * n, 6),
    moderate: intensities(random, curve, 60 * n, 3),
  };
}

function normalCase(name: string, stages: Parameters<typeof cascade>[0]): TransformCase {
  const random = randomOf("normal", name);
  return {
    name,
    transform: cascade(stages),
    x: hardSamples(random, n),
    moderate: normals(random, 60 * n),
  };
}

describeTransformContract("cascade", () => [
  imageCase("pointwise → affine → gdn → linear → gdn", [curve, moved, general, mixed, column]),
  normalCase("gdn → gdn → affine", [general, column, moved]),
  normalCase("linear → affine", [mixed, moved]),
  normalCase("of one stage", [general]),
]);

describe("cascades within cascades", () => {
  const nested = cascade([curve, cascade([moved, cascade([general, mixed])]), column]);
  const flat = cascade([curve, moved, general, mixed, column]);

  test("are flattened", () => {
    expect(nested).toEqual(flat);
    expect(stagesOf(nested).map(({ kind }) => kind)).toEqual([
      "pointwise",
      "affine",
      "gdn",
      "linear",
      "gdn",
    ]);
    expect(checkedTransform(structuredClone(nested))).toEqual(flat);
  });

  test("do not change the results", async () => {
    const x = intensities(randomOf("nested"), curve, 10 * n, 4);
    for (const { runner } of precisions) {
      expect(await gaussianize(runner, nested, x)).toEqual(await gaussianize(runner, flat, x));
      expect(await score(runner, nested, x)).toEqual(await score(runner, flat, x));
    }
  });
});

describe.each(precisions)("$name: a GDN that folds its input", ({ runner }) => {
  test("names the stage in its error", async () => {
    const folding = gdn({
      structure: "general",
      dimension: 2,
      alpha: [1, 4, 4, 1],
      beta: [0.1, 0.1],
      gamma: [1, 1, 1, 1],
      epsilon: [1, 1],
    });
    const small = affine({ dimension: 2, scale: [0.01, 0.01] });
    const large = affine({ dimension: 2, scale: [100, 100] });
    const x = Float64Array.of(1, 1, -2, 3, 1, -1);
    await expect(gaussianize(runner, cascade([small, folding]), x)).resolves.toBeDefined();
    for (const pass of [gaussianize, score]) {
      await expect(pass(runner, cascade([small, large, folding]), x)).rejects.toThrow(
        "Sample 0 has no density in stage 2 (gdn): the Jacobian is not positive definite (pivot 1 is not positive)",
      );
    }
  });
});
