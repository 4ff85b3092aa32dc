/** One model of `gaussianize evaluate` on all images. */
import {
  type Evaluation,
  type EvaluationOptions,
  GaussianizeError,
  type ScoredPatches,
  type TaskRunner,
  type WholeImageEvaluation,
  evaluateImages,
  evaluateWholeImages,
  gridPatchCount,
  isImageModel,
} from "../../src/index.js";
import type { ImageSet } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { thousands } from "../text.js";
import type { NamedModel } from "./models.js";
import { type Rows, rowsOfImages, rowsOfPatches } from "./rows.js";

export type Evaluated = NamedModel & {
  /** Null where nobody asked for them. */
  readonly rows: Rows | null;
} & (
    | { readonly kind: "patches"; readonly result: Evaluation }
    | { readonly kind: "images"; readonly result: WholeImageEvaluation }
  );

export interface EvaluatedOptions {
  readonly patches?: number;
  /** A stride, or the flag alone. */
  readonly grid?: number | true;
  readonly seed: number;
}

export interface Evaluating {
  readonly runner: TaskRunner;
  readonly set: ImageSet;
  readonly options: EvaluatedOptions;
  /** Whether log p of each patch is kept. */
  readonly wantsRows: boolean;
  readonly effects: Effects;
  /** Label of the progress line. */
  readonly label: string;
}

export async function evaluateModel(named: NamedModel, work: Evaluating): Promise<Evaluated> {
  const { model, reading } = named;
  if (isImageModel(model)) {
    const result = await wholeImages(model, work);
    return { ...named, kind: "images", result, rows: rowsOfImages(result) };
  }
  const { runner, set, options, wantsRows, effects, label } = work;
  const { size } = reading.layout;
  const { choice, total } = placesOf(set, size, options);
  const chunks: ScoredPatches[] = [];
  const progress = new Progress(effects, label, total);
  const result = await evaluateImages(runner, model, {
    images: set.images.length,
    load: set.load,
    seed: options.seed,
    nameOf: set.nameOf,
    ...choice,
    ...(wantsRows && { onScores: (scores) => chunks.push(scores) }),
    onProgress: (done) => {
      progress.report(done);
    },
  });
  progress.finish();
  return {
    ...named,
    kind: "patches",
    result,
    rows: wantsRows ? rowsOfPatches(chunks, size) : null,
  };
}

/** One image at a time is in memory, and the next one. */
async function wholeImages(
  model: Parameters<typeof evaluateWholeImages>[1],
  { runner, set, effects, label }: Evaluating,
): Promise<WholeImageEvaluation> {
  const { length } = set.images;
  const progress = new Progress(effects, label, length);
  const result = await evaluateWholeImages(runner, model, {
    images: length,
    load: set.load,
    onProgress: (done) => {
      progress.report(done, done === 1 ? "1 image" : `${done} images`);
    },
  });
  progress.finish();
  return result;
}

interface Places {
  readonly choice: Pick<EvaluationOptions, "patches" | "grid">;
  /** How many there will be, if all images can be used. */
  readonly total: number;
}

function placesOf(
  { images }: ImageSet,
  size: number,
  { patches = 100_000, grid }: EvaluatedOptions,
): Places {
  if (grid === undefined) return { choice: { patches }, total: patches };
  const stride = grid === true ? size : grid;
  const total = images.reduce((sum, image) => sum + gridPatchCount(image, size, stride), 0);
  return { choice: { grid: stride }, total };
}

/** @throws GaussianizeError where patches or images have no density under the model */
export function requireDensity(evaluated: Evaluated): void {
  const { path } = evaluated;
  if (evaluated.kind === "patches") {
    const { failedPatches, patches } = evaluated.result;
    if (failedPatches === 0) return;
    throw new GaussianizeError(
      `${path} has no density at ${thousands(failedPatches)} of ${thousands(patches)} patches, which are not in the means (see "gaussianize verify").`,
    );
  }
  const { failedImages, images } = evaluated.result;
  const reason = images.find(({ failure }) => failure !== null)?.failure;
  if (!reason) return;
  const first = reason.replace(/\.$/, "");
  throw new GaussianizeError(
    `${path} has no density at ${thousands(failedImages)} of ${thousands(images.length)} images, which are not in the means: ${first}.`,
  );
}
