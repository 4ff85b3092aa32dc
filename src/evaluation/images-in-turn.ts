/** The images of an evaluation, one at a time. */
import type { Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import { abortError } from "../parallel/abort-error.js";
import type { Purpose } from "../random/random-stream.js";

/**
 * Values from 0 to 1, with dequantisation noise if the model was fitted with it, and the
 * quantization of the file.
 */
export type EvaluationImage = GreyImage & Partial<Quantization>;

export interface ImageSource {
  /** Number of images, or a list with an entry for each. */
  readonly images: number | readonly unknown[];
  /**
   * Loads an image; undefined skips it. The round is always 0. Images from `index` up to `until`
   * are requested next, and may be read at once.
   */
  readonly load: (
    index: number,
    round: number,
    until?: number,
  ) => Promise<EvaluationImage | undefined>;
  /**
   * Key from which, with the seed, the random places in an image are drawn; default its index. With
   * file names as keys, the places do not depend on the other images.
   */
  readonly nameOf?: (index: number) => Purpose;
}

export function numberOf({ images }: Pick<ImageSource, "images">): number {
  return typeof images === "number" ? images : images.length;
}

/** An image and its index in the source. */
export interface ImageInTurn {
  readonly index: number;
  readonly image: EvaluationImage;
}

/** Number of consecutive images of an archive to read at once. */
const readAtOnce = 16;

/** Yields the usable images that are wanted, and loads the next one meanwhile. */
export async function* imagesInTurn(
  source: ImageSource,
  isWanted: (index: number) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<ImageInTurn, void> {
  const { load } = source;
  const images = numberOf(source);
  const indices = Array.from({ length: images }, (_, k) => k).filter(isWanted);
  const start = (k: number) => {
    const ahead = indices[k + 1] === indices[k] + 1 ? readAtOnce : 1;
    const until = Math.min(images, indices[k] + ahead);
    const loading = k < indices.length ? load(indices[k], 0, until) : Promise.resolve(undefined);
    // A failure is thrown where it is awaited; unawaited, it must not end the process.
    loading.catch(() => undefined);
    return loading;
  };
  let next = start(0);
  for (const [k, index] of indices.entries()) {
    if (signal?.aborted) throw abortError(signal);
    const image = await next;
    next = start(k + 1);
    if (image) yield { index, image };
  }
}
