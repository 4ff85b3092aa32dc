/** Job: fits a model to the pairs of a source, and shows how it goes. */
import { gaussianize } from "../../../src/density/induced-density.js";
import { encodeModel } from "../../../src/density/model-files/model-file.js";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { negentropyDifference } from "../../../src/evaluation/negentropy-difference.js";
import { InlineRunner } from "../../../src/parallel/inline-runner.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import { affine } from "../../../src/transforms/affine.js";
import { cascade } from "../../../src/transforms/cascade.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import { decodePicture } from "../../compute/decode-picture.js";
import type { Job, JobContext } from "../../compute/job.js";
import { type PairData, mostMeasured, pairData } from "./pair-data.js";
import { type PairFrame, neighbours, pairFrame } from "./pair-frame.js";
import { type PairModelName, pairModels } from "./pair-models.js";
import { type PairParameters, pairParameters } from "./pair-parameters.js";
import type { PairSource } from "./pair-source.js";
import type { DecodePicture } from "./wavelet-source.js";

export interface PairFitInput {
  readonly source: PairSource;
  readonly model: PairModelName;
  readonly steps: number;
  readonly seed: string;
}

/** By all pairs; the mutual information by as many as {@link mostMeasured}. */
export interface PairFitResult {
  readonly negentropyInNats: number;
  readonly informationInBits: number;
  readonly informationErrorInBits: number;
  readonly parameters: PairParameters;
  /** A model of the pairs as they came, not standardized. */
  readonly modelFile: Uint8Array<ArrayBuffer>;
  /** Duration of the fit, with all that was shown. */
  readonly seconds: number;
}

/** Number of frames from the start to the end. */
export const frames = 24;

export const fitPairs: Job<PairFitInput, PairFitResult, PairFrame> = (input, context) =>
  fitPairsWith(decodePicture, input, context);

/** With the decoder of a platform. */
export async function fitPairsWith(
  decode: DecodePicture,
  { source, model: name, steps, seed }: PairFitInput,
  { runner, signal, report, whileHeld }: JobContext<PairFrame>,
): Promise<PairFitResult> {
  const start = performance.now();
  const data = await pairData(source, { runner, decode });
  signal.throwIfAborted();
  // In this thread: a step takes less than a message to a worker.
  const inline = new InlineRunner(runner.kernels);
  const found = pairModels.find((each) => each.name === name) ?? pairModels[0];
  const fitted = await fitSamples(inline, data.x, {
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
  const result = await measured(runner, data, fitted, signal);
  const modelFile = encodeModel({
    transform: inOwnUnits(data, fitted),
    about: { name: `${found.title} of pairs: ${data.about}` },
  }) as Uint8Array<ArrayBuffer>;
  return { ...result, modelFile, seconds: (performance.now() - start) / 1000 };
}

async function measured(
  runner: TaskRunner,
  { x }: PairData,
  fitted: Cascade,
  signal: AbortSignal,
): Promise<Omit<PairFitResult, "modelFile" | "seconds">> {
  const some = x.subarray(0, 2 * mostMeasured);
  const { y } = await gaussianize(runner, fitted, some, { signal });
  const { inBits, standardErrorInBits } = nearestNeighbourInformation(y, { neighbours });
  return {
    negentropyInNats: (await negentropyDifference(runner, fitted, x, { signal })).inNats,
    informationInBits: inBits,
    informationErrorInBits: standardErrorInBits,
    parameters: pairParameters(fitted),
  };
}

/**
 * Returns the fitted cascade for pairs that are not standardized: its first stage standardizes
 * them, too.
 */
function inOwnUnits(
  { mean, deviation }: PairData,
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
