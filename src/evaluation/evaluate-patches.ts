/** The log-likelihood of patches of images under a model. */
import { requireReading } from "../density/model-files/model-reading.js";
import type { PatchModel } from "../density/model-files/model.js";
import { standardErrorOf, standardErrorOfMeans, weightedMean } from "../numbers/means.js";
import type { TaskRunner } from "../parallel/job.js";
import { requireRoom } from "../patches/image-patches.js";
import type { ImageReading } from "../patches/image-reading.js";
import { patchDimension, patchesToSamples } from "../patches/patch-layout.js";
import { createRandom } from "../random/random-stream.js";
import {
  type EvaluationOptions,
  type ImageEvaluation,
  type Likelihood,
  type Totals,
  ratesOf,
} from "./evaluation.js";
import { type ImageInTurn, type ImageSource, numberOf } from "./images-in-turn.js";
import { type PatchChunk, gridCorners, patchChunks, randomCorners } from "./patch-chunks.js";
import { hasCodes, logWidthsOf } from "./patch-code-widths.js";
import { scorerOf } from "./mixture-scores.js";
import { MomentAccumulator } from "./moments.js";
import type { PatchScores, Scorer } from "./patch-scores.js";

export class PatchEvaluator {
  private readonly reading: ImageReading;
  private readonly scorer: Scorer;
  private readonly shareOf: (index: number) => number;
  private readonly tallies: PatchTally[] = [];
  /** Number of patches of all images before this one. */
  private before = 0;

  constructor(
    runner: TaskRunner,
    model: PatchModel,
    private readonly source: ImageSource,
    private readonly options: EvaluationOptions,
  ) {
    this.reading = requireReading(model);
    this.scorer = scorerOf(runner, model);
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
      this.report(turn, chunk, scores.logProb);
    }
    this.tallies.push(tally);
    this.before += tally.patches;
    return { index, ...tally.likelihood(), part: null, failure: null, fileBitsPerPixel: null };
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

  private report({ index, image }: ImageInTurn, { corners }: PatchChunk, logProb: Float64Array) {
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
    const { tallies } = this;
    const dimension = patchDimension(this.reading.layout);
    const hasCodes = tallies.every((tally) => tally.hasCodes);
    const used = tallies.filter(({ count }) => count > 0);
    const weights = used.map(({ count }) => count);
    const overImages = used.length > 1;
    const meansOf = (score: Score): number[] => used.map((tally) => tally[score].mean);
    const sum = (of: (tally: PatchTally) => number): number =>
      tallies.reduce((total, tally) => total + of(tally), 0);
    const errorOf = (score: Score): number =>
      overImages
        ? standardErrorOfMeans(meansOf(score), weights)
        : standardErrorOf((used.length > 0 ? used : tallies)[0][score]);
    return {
      samples: sum(({ patches }) => patches),
      failedSamples: sum(({ failed }) => failed),
      ...ratesOf(
        dimension,
        eachScore(hasCodes, (score) => weightedMean(meansOf(score), weights)),
      ),
      values: dimension * sum(({ count }) => count),
      standardErrors: ratesOf(dimension, eachScore(hasCodes, errorOf)),
      standardErrorsOver: overImages ? "images" : "patches",
      fileBitsPerPixel: null,
    };
  }
}

/**
 * Number of random patches of each image: the same for all, plus one for the images drawn by lot
 * until the total is reached.
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

type Score = "logProb" | "negentropyDifference" | "codeLength";

function eachScore(hasCodes: boolean, of: (score: Score) => number) {
  return {
    logProb: of("logProb"),
    negentropyDifference: of("negentropyDifference"),
    codeLength: hasCodes ? of("codeLength") : null,
  };
}

/** Means over the patches of one image; the division into chunks does not change them. */
class PatchTally {
  readonly logProb = new MomentAccumulator();
  readonly negentropyDifference = new MomentAccumulator();
  /** −(log p(x) + Σ log code width): minus log of the probability of the codes. */
  readonly codeLength = new MomentAccumulator();
  failed = 0;

  constructor(
    private readonly dimension: number,
    readonly hasCodes: boolean,
  ) {}

  /** Number of patches with a density. */
  get count(): number {
    return this.logProb.count;
  }

  get patches(): number {
    return this.count + this.failed;
  }

  /** `logWidths` is Σ log code width of each patch. */
  add({ logProb, negentropyDifference }: PatchScores, logWidths: Float64Array | null): void {
    const hasDensity = (_: number, s: number): boolean => !Number.isNaN(logProb[s]);
    const good = logProb.filter(hasDensity);
    this.failed += logProb.length - good.length;
    this.logProb.add(good);
    this.negentropyDifference.add(negentropyDifference.filter(hasDensity));
    if (logWidths) {
      this.codeLength.add(logProb.map((value, s) => -(value + logWidths[s])).filter(hasDensity));
    }
  }

  likelihood(): Likelihood {
    return {
      samples: this.patches,
      failedSamples: this.failed,
      ...ratesOf(
        this.dimension,
        eachScore(this.hasCodes, (score) => this[score].mean),
      ),
    };
  }
}
