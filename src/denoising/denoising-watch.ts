/** What can be seen of a picture while it is denoised. */
import type { NoiseDoubt } from "./picture-noise.js";

/** How far the picture is. */
export interface DenoisingStage {
  /** Of the picture, from 0 to 1. */
  readonly part: number;
  /**
   * The channel at work, from 1, and how many there are: grey, or brightness and two differences.
   */
  readonly channel: number;
  readonly channels: number;
  /** A fit to the picture itself counts steps, rounds of denoising count pixels. */
  readonly work: "fit" | "rounds";
  readonly done: number;
  readonly total: number;
  /** The rounds that these pixels are those of, from 1, and how many there are. */
  readonly firstRound: number;
  readonly lastRound: number;
  readonly rounds: number;
}

/**
 * What people should know of a result, once for each cause. Noise levels are in grey levels of 255.
 */
export type DenoisingWarning =
  | NoiseDoubt
  /**
   * Patches of `size`×`size` pixels, or shifts of a grid of such blocks, cannot be so far apart:
   * `size` is taken.
   */
  | {
      readonly kind: "stride";
      readonly apart: "patches" | "shifts";
      readonly stride: number;
      readonly size: number;
    }
  /**
   * The model of one's own was fitted to linear light; pictures are denoised as they are stored.
   */
  | { readonly kind: "linear light" }
  /** The model of one's own, or the nearest prior, knows noise far from that of a channel. */
  | { readonly kind: "far noise"; readonly known: number; readonly level: number };

export interface DenoisingWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onStage?: ((stage: DenoisingStage) => void) | undefined;
  readonly onWarning?: ((warning: DenoisingWarning) => void) | undefined;
}
