/** Job: the pairs of a source, to look at before a fit. */
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { decodePicture } from "../../compute/decode-picture.js";
import type { Job } from "../../compute/job.js";
import { type PairData, pairData } from "./pair-data.js";
import { contourPath, neighbours } from "./pair-frame.js";
import { type PairModelName, pairModels } from "./pair-models.js";
import { type ParameterCounts, parameterCounts } from "./pair-parameters.js";
import type { PairSource } from "./pair-source.js";

export interface PairView extends Pick<
  PairData,
  "count" | "mean" | "deviation" | "names" | "shown" | "about" | "caution"
> {
  /** Contours of the histogram of all pairs: the `d` of an SVG path. */
  readonly contours: string;
  /** Mutual information of the shown pairs. */
  readonly informationInBits: number;
  readonly parameterCounts: Readonly<Record<PairModelName, ParameterCounts>>;
}

export const viewPairs: Job<PairSource, PairView> = async (source, { runner, signal }) => {
  const data = await pairData(source, { runner, decode: decodePicture });
  signal.throwIfAborted();
  const { count, mean, deviation, names, shown, about, caution, histogram, histogramLevels } = data;
  return {
    count,
    mean,
    deviation,
    names,
    shown,
    about,
    caution,
    contours: contourPath(histogram, histogramLevels),
    informationInBits: nearestNeighbourInformation(shown, { neighbours }).inBits,
    parameterCounts: Object.fromEntries(
      pairModels.map((model) => [model.name, parameterCounts(model)]),
    ) as PairView["parameterCounts"],
  };
};
