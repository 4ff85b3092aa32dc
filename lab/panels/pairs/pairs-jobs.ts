/** Jobs of the panel: look at the pairs of a source, and fit a model to them. */
import { gaussianize } from "../../../src/density/induced-density.js";
import { encodeModel } from "../../../src/density/model-files/model-file.js";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { negentropyDifference } from "../../../src/evaluation/negentropy-difference.js";
import { InlineRunner } from "../../../src/parallel/inline-runner.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import { decodePicture } from "../../compute/decode-picture.js";
import type { Job, JobContext } from "../../compute/job.js";
import { type PairFacts, mostMeasured, pairData } from "./pair-data.js";
import {
  type PairFrame,
  neighbours,
  pairFrame,
  pairParameters,
  parameterCounts,
} from "./pair-frame.js";
import { type PairModelName, pairModels } from "./pair-models.js";
import type { PairSource } from "./pair-source.js";
import type { PairContext } from "./wavelet-source.js";

export interface PairView extends PairFacts {
  /** Mutual information of the shown pairs. */
  readonly informationInBits: number;
  readonly parameterCounts: Readonly<Record<PairModelName, ReturnType<typeof parameterCounts>>>;
}

export const viewPairs: Job<PairSource, PairView> = async (source, { runner, signal }) => {
  const { facts } = await pairData(source, { runner, decode: decodePicture });
  signal.throwIfAborted();
  return {
    ...facts,
    informationInBits: nearestNeighbourInformation(facts.shown, { neighbours }).inBits,
    parameterCounts: Object.fromEntries(
      pairModels.map((model) => [model.name, parameterCounts(model)]),
    ) as PairView["parameterCounts"],
  };
};

export interface PairFitInput {
  readonly source: PairSource;
  readonly model: PairModelName;
  readonly steps: number;
  readonly seed: string;
}

/** Measures use all pairs; the mutual information uses at most {@link mostMeasured}. */
export interface PairFitResult extends Pick<
  PairFrame,
  "negentropyInNats" | "informationInBits" | "parameters"
> {
  readonly informationErrorInBits: number;
  /** Model of the pairs in their own units, before standardization. */
  readonly modelFile: Uint8Array<ArrayBuffer>;
  /** Duration of the fit, including its frames. */
  readonly seconds: number;
}

/** Number of frames of a fit. */
const frames = 24;

export const fitPairs: Job<PairFitInput, PairFitResult, PairFrame> = (input, context) =>
  fitPairsWith(decodePicture, input, context);

/** Fits with the picture decoder of a platform. */
export async function fitPairsWith(
  decode: PairContext["decode"],
  { source, model: name, steps, seed }: PairFitInput,
  { runner, signal, report, whileHeld }: JobContext<PairFrame>,
): Promise<PairFitResult> {
  const start = performance.now();
  const data = await pairData(source, { runner, decode });
  const { x, facts } = data;
  signal.throwIfAborted();
  // In this thread: a step is faster than a message to a worker.
  const inline = new InlineRunner(runner.kernels);
  const found = pairModels.find((each) => each.name === name) ?? pairModels[0];
  const fitted = await fitSamples(inline, x, {
    dimension: 2,
    model: found.model,
    steps,
    seed,
    signal,
    snapshotEvery: Math.max(1, Math.ceil(steps / frames)),
    onSnapshot: async ({ step, transform }) => {
      const frame = await pairFrame(inline, data, step, transform);
      if (frame) report(frame);
      await whileHeld();
    },
  });
  const { y } = await gaussianize(runner, fitted, x.subarray(0, 2 * mostMeasured), { signal });
  const { inBits, standardErrorInBits } = nearestNeighbourInformation(y, { neighbours });
  return {
    negentropyInNats: (await negentropyDifference(runner, fitted, x, { signal })).inNats,
    informationInBits: inBits,
    informationErrorInBits: standardErrorInBits,
    parameters: pairParameters(fitted),
    modelFile: encodeModel({
      transform: inOwnUnits(facts, fitted),
      about: { name: `${found.title} of pairs: ${facts.about}` },
    }) as Uint8Array<ArrayBuffer>,
    seconds: (performance.now() - start) / 1000,
  };
}

/** Merges the standardization of the pairs into the first stage of the fitted cascade. */
function inOwnUnits(
  { mean, deviation }: PairFacts,
  { stages: [first, ...others] }: Cascade,
): Cascade {
  if (first.kind !== "affine") throw new Error(`the first stage is ${first.kind}`);
  const scale = Float32Array.from(deviation, (value, i) => first.scale[i] / value);
  const shift = Float32Array.from(
    mean,
    (value, i) => first.shift[i] - (first.scale[i] * value) / deviation[i],
  );
  return cascade([affine({ dimension: 2, scale, shift }), ...others]);
}
