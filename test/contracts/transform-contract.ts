/** Contract of every transform, in both precisions. */
import { describe } from "vitest";
import { seed } from "../support/seed.js";
import type { TransformCase } from "../support/transform-cases.js";
import { describeTransformBatches } from "./transform-batches-contract.js";
import { describeTransformDensity } from "./transform-density-contract.js";
import { describeTransformGradients } from "./transform-gradients-contract.js";
import { describeTransformInversion } from "./transform-inversion-contract.js";

export function describeTransformContract(
  name: string,
  makeCases: () => readonly TransformCase[],
): void {
  describe(`${name}, seed ${seed}`, () => {
    const cases = makeCases();
    describeTransformInversion(cases);
    describeTransformDensity(cases);
    describeTransformGradients(cases);
    describeTransformBatches(cases);
  });
}
