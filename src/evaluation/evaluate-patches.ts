/** How likely patches of images are under a model. */
import { requireReading } from "../density/model-files/model-reading.js";
import type { Model } from "../density/model-files/model.js";
import { standardErrorOf, standardErrorOfMeans } from "../numbers/means.js";
import type { TaskRunner } from "../parallel/job.js";
import { requireRoom } from "../patches/image-patches.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension, patchesToSamples } from "../patches/patch-layout.js";
import { createRandom } from "../random/random-stream.js";
import type { EvaluationOptions, ImageEvaluation, Totals } from "./evaluation.js";
import { type ImageInTurn, type ImageSource, numberOf } from "./images-in-turn.js";
import { type PatchChunk, gridCorners, patchChunks, randomCorners } from "./patch-chunks.js";
import { hasCodes, logWidthsOf } from "./patch-code-widths.js";
import { PatchScorer } from "./patch-scores.js";
import { PatchTally } from "./patch-tally.js";

export class PatchEvaluator {
  private readonly reading: ImageReading;
  private readonly scorer: PatchScorer;
  private readonly shareOf: (index: number) => number;
  private readonly tallies: PatchTally[] = [];
  /** Patches of all images before this one. */
  private before = 0;

  constructor(
    runner: TaskRunner,
    model: Model,
    private readonly source: ImageSource,
    private readonly options: EvaluationOptions,
  ) {
    this.reading = requireReading(model);
    this.scorer = new PatchScorer(runner, model);
    this.shareOf = sharesOfImages(numberOf(source), options);
  }

  get preprocessingStages(): number {
    return this.scorer.preprocessingStages;
  }

  readonly isWanted = (index: number): boolean => this.shareOf(index) > 0;

  async evaluate(turn: ImageInTurn): Promise<ImageEvaluation> {
    const { image, index } = turn;
    const { layout } = this.reading;
    const { patchesAtOnce = 16_384, signal, onProgress } = this.options;
    const tally = new PatchTally(patchDimension(layout), hasCodes(image, this.reading));
    const corners = this.cornersOf(turn);
    for (const chunk of patchChunks(image, layout.size, corners, patchesAtOnce)) {
      const scores = await this.scorer.score(patchesToSamples(chunk.patches, layout), {
        ...(signal ? { signal } : {}),
        onProgress: (done) => onProgress?.(this.before + tally.patches + done),
      });
      tally.add(scores, logWidthsOf(chunk.patches, image, this.reading));
      this.tell(turn, chunk, scores.logProb);
    }
    this.tallies.push(tally);
    this.before += tally.patches;
    return { index, ...tally.likelihood(), part: null, failure: null };
  }

  private cornersOf({ image, index }: ImageInTurn): Iterable<number> {
    const { grid, seed = 1 } = this.options;
    const { nameOf = (k) => k } = this.source;
    const { size } = this.reading.layout;
    requireRoom(image, `image ${index}`, size);
    if (grid !== undefined) return gridCorners(image, size, grid);
    const random = createRandom(seed, "evaluate", nameOf(index));
    return randomCorners(random, image, size, this.shareOf(index));
  }

  private tell({ index, image }: ImageInTurn, { corners }: PatchChunk, logProb: Float64Array) {
    const { size } = this.reading.layout;
    this.options.onScores?.({
      index,
      x: Int32Array.from(corners, (corner) => corner % image.width),
      y: Int32Array.from(corners, (corner) => Math.floor(corner / image.width)),
      width: size,
      height: size,
      logProb,
    });
  }

  totals(): Totals {
    const dimension = patchDimension(this.reading.layout);
    const total = PatchTally.total(this.tallies);
    return {
      ...total,
      values: dimension * (total.samples - total.failedSamples),
      ...errorsOf(this.tallies, dimension),
    };
  }
}

/**
 * How many random patches an image gives: equally many, up to one more in some that are drawn by
 * lot.
 */
function sharesOfImages(
  images: number,
  { patches = 100_000, grid, seed = 1 }: EvaluationOptions,
): (index: number) => number {
  if (grid !== undefined) return () => Infinity;
  const order = createRandom(seed, "evaluate").permutation(images);
  const withOneMore = new Set(order.subarray(0, patches % images));
  return (index) => Math.floor(patches / images) + (withOneMore.has(index) ? 1 : 0);
}

function errorsOf(
  tallies: readonly PatchTally[],
  dimension: number,
): Pick<Totals, "standardErrors" | "standardErrorsOver"> {
  const used = tallies.filter(({ count }) => count > 0);
  const overImages = used.length > 1;
  const weights = used.map(({ count }) => count);
  const bits = dimension * Math.LN2;
  const errorOf = (of: "logProb" | "codeLogProb" | "negentropyDifference"): number =>
    overImages
      ? standardErrorOfMeans(
          used.map((tally) => tally[of].mean),
          weights,
        )
      : standardErrorOf((used.length > 0 ? used : tallies)[0][of]);
  const hasCodes = tallies.every((tally) => tally.hasCodes);
  return {
    standardErrors: {
      meanLogLikelihood: errorOf("logProb"),
      natsPerDimension: errorOf("logProb") / dimension,
      bitsPerPixel: errorOf("logProb") / bits,
      codeLengthInBitsPerPixel: hasCodes ? errorOf("codeLogProb") / bits : null,
      negentropyDifferencePerDimension: errorOf("negentropyDifference") / dimension,
    },
    standardErrorsOver: overImages ? "images" : "patches",
  };
}
