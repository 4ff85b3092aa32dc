/**
 * A checkpoint of a fit as a safetensors file. It holds the state bit for bit, but not the start of
 * the fit: a resumed fit makes the same start again.
 */
import { GaussianizeError, describeValue, expected, inFile } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  parseJson,
} from "../density/model-files/json.js";
import { checkpointFormat } from "../density/model-files/model-file.js";
import {
  type SafetensorsHeader,
  type StoredTensor,
  locateTensors,
  readHeader,
  readValues,
} from "../density/model-files/read-safetensors.js";
import { type Tensor, encodeSafetensors } from "../density/model-files/safetensors.js";
import { stagesOf, withStages } from "../transforms/cascade.js";
import { mapParameters, parametersOf } from "../transforms/parameters.js";
import { type FittedTransform, countOf } from "../transforms/side-by-side.js";
import { arraysOf } from "./fit-state.js";
import type { FitCheckpoint, FitRecord } from "./fit-records.js";
import {
  type OptimiserName,
  type OptimiserState,
  optimiserNames,
  startOptimiser,
} from "./optimisers.js";
import type { BestSoFar } from "./validation.js";

const fileKind = { format: checkpointFormat, version: "1" } as const;

/** The part of a checkpoint without parameters and moments. */
interface Numbers extends Omit<FitCheckpoint, "transform" | "optimiser" | "best" | "firstLayer"> {
  /** Number of stages; a greedy fit starts with the first stages of its stack. */
  readonly stages: number;
  readonly optimiser: Pick<OptimiserState, "name" | "steps">;
  readonly best: Omit<BestSoFar, "transform"> | null;
  /** Number of stages of the first layer, if it is kept. */
  readonly firstLayer?: number;
}

/**
 * Encodes a checkpoint; {@link decodeCheckpoint} must be given the same `run`.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { decodeCheckpoint, encodeCheckpoint, fitTransform } from "gaussianize/training";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const [start, kept] = [affine({ dimension: 1 }), []];
 * const options = { steps: 9, batchAt: () => Float32Array.of(1, 2, 3), checkpointEvery: 5 };
 * const onCheckpoint = (checkpoint) => void kept.push(encodeCheckpoint(checkpoint));
 * await fitTransform(runner, start, { ...options, onCheckpoint });
 * console.log(decodeCheckpoint(kept[0], start).step); // 5
 * ```
 */
export function encodeCheckpoint(checkpoint: FitCheckpoint<FittedTransform>, run = ""): Uint8Array {
  const {
    transform,
    optimiser,
    gradientLength,
    step,
    damping,
    rejectedSteps,
    history,
    firstLayer,
  } = checkpoint;
  const { name, steps, moments } = optimiser;
  const { transform: bestTransform, ...best } = checkpoint.best ?? { transform: null };
  const numbers = {
    step,
    damping,
    rejectedSteps,
    gradientLength,
    stages: stagesOf(transform).length,
    optimiser: { name, steps },
    history,
    best: bestTransform && best,
    ...(firstLayer && { firstLayer: stagesOf(firstLayer).length }),
  };
  const tensors = [
    ...tensorsOf("parameters", arraysOf(parametersOf(transform))),
    ...moments.flatMap((groups, m) => tensorsOf(`moments.${m}`, groups)),
    ...(bestTransform ? tensorsOf("best", arraysOf(parametersOf(bestTransform))) : []),
    ...(firstLayer ? tensorsOf("firstLayer", arraysOf(parametersOf(firstLayer))) : []),
  ];
  return encodeSafetensors(tensors, { ...fileKind, run, numbers: JSON.stringify(numbers) });
}

function tensorsOf(name: string, groups: readonly FloatArray[]): Tensor[] {
  return groups.map((values, g) => ({ name: `${name}.${g}`, shape: [values.length], values }));
}

/** The part of a checkpoint that can be read without the start of the fit. */
export interface CheckpointDescription {
  /** Identifies the run, as given to {@link encodeCheckpoint}. */
  readonly run: string;
  /** Steps taken. */
  readonly step: number;
  readonly rejectedSteps: number;
  readonly optimiser: OptimiserName;
  /** Best validation so far, null before the first. */
  readonly best: FitRecord | null;
}

/** Returns whether the header of a file is that of a checkpoint. */
export function isCheckpoint(bytes: Uint8Array): boolean {
  try {
    return readHeader(bytes).metadata.format === fileKind.format;
  } catch {
    return false;
  }
}

/** Describes the checkpoint of a file; throws as {@link decodeCheckpoint} does. */
export function describeCheckpoint(
  bytes: Uint8Array,
  name = "the checkpoint",
): CheckpointDescription {
  return inFile(name, () => {
    const header = readCheckpointHeader(bytes);
    const { run = "" } = header.metadata;
    if (typeof run !== "string") throw expected("run", "be a text", run);
    const { step, rejectedSteps, optimiser, best } = numbersIn(header);
    const record = best && { step: best.step, meanLogProb: best.meanLogProb };
    return { run, step, rejectedSteps, optimiser: optimiser.name, best: record };
  });
}

/**
 * Decodes a checkpoint, given the start of the fit (with all layers of a stack or an image
 * cascade).
 *
 * @throws GaussianizeError that begins with `name` if the bytes are not a checkpoint of this fit
 */
export function decodeCheckpoint<T extends FittedTransform>(
  bytes: Uint8Array,
  start: T,
  { name = "the checkpoint", run = "" }: { readonly name?: string; readonly run?: string } = {},
): FitCheckpoint<T> {
  return inFile(name, () => decode(bytes, start, run));
}

function readCheckpointHeader(bytes: Uint8Array): SafetensorsHeader {
  const header = readHeader(bytes);
  const { format, version } = header.metadata;
  if (format !== fileKind.format)
    throw new GaussianizeError("unsupported-file", "This is not a checkpoint of a fit.");
  if (version === fileKind.version) return header;
  throw new GaussianizeError(
    "unsupported-file",
    `The checkpoint has version ${describeValue(version)}; this program reads version "${fileKind.version}".`,
  );
}

function decode<T extends FittedTransform>(
  bytes: Uint8Array,
  whole: T,
  run: string,
): FitCheckpoint<T> {
  const header = readCheckpointHeader(bytes);
  if (header.metadata.run !== run) {
    throw new GaussianizeError("mismatch", "This is the checkpoint of another fit.");
  }
  const numbers = numbersIn(header);
  const tensors = locateTensors(header);
  const { optimiser, best, stages, firstLayer, ...rest } = numbers;
  const start = firstStages(whole, stages);
  const read = (part: string, like: T): FloatArray[] =>
    arraysOf(parametersOf(like)).map((group, g) =>
      storedValues(tensors, `${part}.${g}`, group.length),
    );
  const withArrays = (part: string, like = start): T => {
    const arrays = read(part, like);
    let next = 0;
    return mapParameters(like, () => arrays[next++]);
  };
  const transform = withArrays("parameters");
  const { moments: places } = startOptimiser(optimiser.name, []);
  const moments = places.map((_, m) =>
    read(`moments.${m}`, start).map((values) => Float64Array.from(values)),
  );
  return {
    ...rest,
    transform,
    optimiser: { ...optimiser, moments },
    best: best && { ...best, transform: withArrays("best") },
    ...(firstLayer !== undefined && {
      firstLayer: withArrays("firstLayer", firstStages(whole, firstLayer)),
    }),
  };
}

function firstStages<T extends FittedTransform>(whole: T, count: number): T {
  const all = stagesOf(whole);
  const each = countOf(whole);
  if (!(Number.isInteger(count / each) && count >= each && count <= all.length)) {
    const rule = each === 1 ? "a whole number" : `a multiple of ${each}`;
    throw expected("stages", `be ${rule} from ${each} to ${all.length}, as in this run`, count);
  }
  return count === all.length ? whole : withStages(whole, all.slice(0, count));
}

function storedValues(
  tensors: ReadonlyMap<string, StoredTensor>,
  name: string,
  length: number,
): FloatArray {
  const tensor = tensors.get(name);
  if (!tensor) throw expected("the checkpoint", `have the tensor ${name}`, [...tensors.keys()]);
  const values = readValues(tensor);
  if (values instanceof Int32Array) throw expected(name, "hold floats", tensor.dtype);
  if (values.length === length) return values;
  throw expected(name, `hold ${length} values, as in the model of this run`, values.length);
}

function numbersIn({ metadata }: SafetensorsHeader): Numbers {
  return checkedNumbers(parseJson(metadata.numbers as string, "numbers"));
}

function checkedNumbers(value: JsonValue): Numbers {
  if (!isJsonObject(value)) throw expected("numbers", "be a JSON object", value);
  const record = value as JsonObject & Partial<Record<keyof Numbers, JsonValue>>;
  for (const key of ["step", "damping", "rejectedSteps", "gradientLength", "stages"] as const) {
    if (typeof record[key] !== "number") throw expected(key, "be a number", record[key]);
  }
  const { optimiser = null, best = null } = record;
  const isKnown = isJsonObject(optimiser) && optimiserNames.some((name) => name === optimiser.name);
  if (!isKnown) throw expected("optimiser", `be one of ${optimiserNames.join(", ")}`, optimiser);
  if (best !== null && !isJsonObject(best)) throw expected("best", "be a JSON object", best);
  if (!Array.isArray(record.history)) throw expected("history", "be a list", record.history);
  return record as unknown as Numbers;
}
