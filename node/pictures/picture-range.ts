import { rangeOf } from "../../src/preprocessing/value-range.js";
import type { Picture } from "./picture.js";

/** The lowest and the highest value of all channels. */
export function pictureRange({ channels }: Pick<Picture, "channels">): {
  readonly lowest: number;
  readonly highest: number;
} {
  const ranges = channels.map(rangeOf);
  return {
    lowest: Math.min(...ranges.map(({ lowest }) => lowest)),
    highest: Math.max(...ranges.map(({ highest }) => highest)),
  };
}
