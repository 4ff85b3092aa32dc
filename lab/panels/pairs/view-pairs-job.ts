/** Job: the pairs of a source, to look at before a fit. */
import { nearestNeighbourInformation } from "../../../src/index.js";
import { decodePicture } from "../../compute/decode-picture.js";
import type { LabJob, Perform } from "../../compute/job.js";
import { contourPath } from "./contour-path.js";
import { type PairData, pairData } from "./pair-data.js";
import { neighbours } from "./pair-frame.js";
import type { PairSource } from "./pair-source.js";

export interface PairView extends Pick<
  PairData,
  "count" | "mean" | "deviation" | "names" | "shown" | "about" | "caution"
> {
  /** Of the histogram of all pairs: the `d` of an SVG path. */
  readonly contours: string;
  /** Of the shown pairs. */
  readonly informationInBits: number;
}

export type ViewPairs = LabJob<PairSource, PairView>;

export const viewPairs: Perform<ViewPairs> = async (source, { runner, signal }) => {
  const data = await pairData(source, { runner, decode: decodePicture });
  signal.throwIfAborted();
  const { count, mean, deviation, names, shown, about, caution, histogram, histogramLevels } = data;
  return {
    ...{ count, mean, deviation, names, shown, about, caution },
    contours: contourPath(histogram, histogramLevels),
    informationInBits: nearestNeighbourInformation(shown, { neighbours }).inBits,
  };
};
