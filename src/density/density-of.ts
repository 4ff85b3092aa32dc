/** The one place where models of patches and of whole images part. */
import { checkFields, expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Unchecked } from "../transforms/checks.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import { checkRunner } from "./batch-passes.js";
import { PatchDensity } from "./density-of-patches.js";
import type { Density } from "./density.js";
import { ImageDensity } from "./images/density-of-images.js";
import { type AnyModel, type ModelAbout, isImageModel } from "./model-files/model.js";

/** A model, or a transform by itself; it is checked where it lost the mark of its constructor. */
export type DensityRecord =
  | Unchecked<AnyTransform>
  | { readonly transform: Unchecked<AnyTransform>; readonly about: ModelAbout };

/**
 * The density of a model, or of a transform by itself. A runner that has to be opened first is
 * given as a function: it is called when the density first computes.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, densityOf, loadKernels } from "gaussianize";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const density = densityOf(affine({ dimension: 1, scale: [2] }), runner);
 * console.log(await density.logProb([[0.5], [1]]));
 * ```
 */
export function densityOf(
  given: DensityRecord,
  runner: TaskRunner | (() => Promise<TaskRunner>),
): Density {
  if (typeof runner !== "function") checkRunner(runner, "the runner");
  const open = typeof runner === "function" ? runner : () => Promise.resolve(runner);
  const model = modelOf(given);
  // Both check what they are asked: the answer has the type that goes with the question.
  const density = isImageModel(model)
    ? new ImageDensity(model, open)
    : new PatchDensity(model, open);
  return density as unknown as Density;
}

/** The densities check the transform. */
function modelOf(given: DensityRecord): AnyModel {
  if (typeof given !== "object" || (given as object | null) === null) {
    throw expected("the model", "be a model or a transform", given);
  }
  if ("kind" in given) return { transform: given, about: {} } as AnyModel;
  checkFields("a model", given, ["transform", "about"]);
  return given as AnyModel;
}
