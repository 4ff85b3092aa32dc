/** Images for an evaluation, one at a time. */
import type { Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import { abortError } from "../parallel/abort-error.js";
import type { Purpose } from "../random/random-stream.js";

/**
 * Values from 0 to 1, spread over the intervals of their codes where the model was fitted to such;
 * and what the codes were.
 */
export type EvaluationImage = GreyImage & Partial<Quantization>;

export interface ImageSource {
  /** Number of images, or a list with an entry for each. */
  readonly images: number | readonly unknown[];
  /**
   * Gets an image: undefined where it cannot be used, and then is left out. The round is always 0;
   * images from `index` up to `until` will be asked for next, and may be read at once.
   */
  readonly load: (
    index: number,
    round: number,
    until?: number,
  ) => Promise<EvaluationImage | undefined>;
  /**
   * What the places in an image are drawn by, beside the seed; default its index. By the names of
   * the files an image gets the same ones whatever other images there are.
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

/** Of images that lie one after the other, in an archive. */
const readAtOnce = 16;

/** The usable ones that are wanted, each while the next one is being loaded. */
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
    // Should it fail, whoever awaits it hears of it; if that is nobody, the process must not end
    // for it.
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
