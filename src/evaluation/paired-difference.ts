/**
 * The mean difference of two models on the same samples. With a_s and b_s the scores of sample s
 * under the models, and w_s its weight:
 *
 *   d = Σ w_s (b_s − a_s) / Σ w_s
 *
 * Effects of a sample on both scores cancel, so that the standard error of d is far smaller than
 * those of the two means.
 */
import { expected } from "../errors.js";
import { standardErrorOf, standardErrorOfMeans, weightedMean } from "../numbers/means.js";
import { checkFields } from "../transforms/checks.js";
import { MomentAccumulator } from "./moments.js";

export interface PairedValues {
  /** a_s and b_s; a sample is skipped if either is NaN. */
  readonly first: ArrayLike<number>;
  readonly second: ArrayLike<number>;
  /** The image of each sample: samples of one image are not independent. */
  readonly image: ArrayLike<number>;
  /** w_s, default 1. */
  readonly weights?: ArrayLike<number>;
}

export interface PairedDifference {
  /** d; positive if samples are likelier under the second model. NaN without samples. */
  readonly mean: number;
  /** Standard error of d; NaN for a single sample. */
  readonly standardError: number;
  /** Units taken as independent: images, or the patches of a single image. */
  readonly standardErrorOver: "images" | "patches";
  /** Number of samples compared. */
  readonly samples: number;
}

/** Compares two models on the same samples; errors are correlated, so differences are paired. */
export function pairedDifference(values: PairedValues): PairedDifference {
  checkFields("the values", values, ["first", "second", "image", "weights"]);
  const { first, second, image, weights } = values;
  for (const [name, array] of Object.entries({ second, image, weights: weights ?? first })) {
    if (array.length === first.length) continue;
    throw expected(name, `hold ${first.length} values, as first does`, array.length);
  }
  const all = new MomentAccumulator();
  const sums = new Map<number, { weight: number; sum: number }>();
  for (let s = 0; s < first.length; s++) {
    const difference = second[s] - first[s];
    if (Number.isNaN(difference)) continue;
    all.add([difference]);
    const weight = weights?.[s] ?? 1;
    const ofImage = sums.get(image[s]) ?? { weight: 0, sum: 0 };
    ofImage.weight += weight;
    ofImage.sum += weight * difference;
    sums.set(image[s], ofImage);
  }
  const images = [...sums.values()];
  const means = images.map(({ weight, sum }) => sum / weight);
  const shares = images.map(({ weight }) => weight);
  const isOverImages = images.length > 1;
  return {
    mean: weightedMean(means, shares),
    standardError: isOverImages ? standardErrorOfMeans(means, shares) : standardErrorOf(all),
    standardErrorOver: isOverImages ? "images" : "patches",
    samples: all.count,
  };
}
