/** Exact log-determinants and inverses of convolutions, with frequencies divided among workers. */
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { joinTree, splitTree } from "../../kernels/reduction-tree.js";
import type { TaskList, TaskRunner } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import {
  type ConvolutionDeterminantGradient,
  addDeterminants,
  frequenciesOfLeaf,
} from "../../transforms/convolutions/determinant.js";
import {
  type FrequencySample,
  frequenciesOf,
  halfGrid,
  withMeans,
} from "../../transforms/convolutions/frequencies.js";
import { LostFrequencyError, fieldOf, spectrumOf } from "../../transforms/convolutions/inverse.js";
import type { Field, GridSize } from "../../transforms/field.js";
import {
  type FrequencyResult,
  type FrequencyTask,
  determinantJob,
  frequencyJob,
} from "./frequency-job.js";

interface Known extends GridSize {
  /** A copy: an optimiser may change weights in place. */
  readonly weights: FloatArray;
  readonly logDeterminant: number;
}

/** Last log-determinant of each convolution, the same for all images of one size. */
const known = new WeakMap<Convolution, Known>();

/** Options of a pass over all frequencies of a convolution. */
export interface FrequencyPass {
  readonly signal?: AbortSignal | undefined;
  /** Receives the fraction done, from 0 to 1. */
  readonly onPart?: ((part: number) => void) | undefined;
}

/** Returns log |det| on fields of the given size; throws if the convolution is singular. */
export async function logDeterminantOn(
  runner: TaskRunner,
  convolution: Convolution,
  { width, height }: GridSize,
  options: FrequencyPass = {},
): Promise<number> {
  const { weights } = convolution;
  const last = known.get(convolution);
  const isSameSize = last?.width === width && last.height === height;
  if (isSameSize && last.weights.every((value, k) => value === weights[k])) {
    return last.logDeterminant;
  }
  const copy = weights.slice();
  const results = await runFrequencies(runner, convolution, { width, height }, null, options);
  const logDeterminant = results.reduce((sum, result) => sum + result.logDeterminant, 0);
  known.set(convolution, { width, height, weights: copy, logDeterminant });
  return logDeterminant;
}

/** Operations per task, about 1 s, so that a pass can stop. */
const operationsOfGradient = 4e9;
/** Fewest operations of a task: a message returns sums as large as the weights. */
const leastOperations = 1e7;

export interface DeterminantPass {
  /** Default: all frequencies. */
  readonly sample?: FrequencySample | undefined;
  /** Additional weight of frequency 0 in the gradient; default 0. */
  readonly weightOfMeans?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns log |det| and the gradient of −log |det| in the precision of the kernels, over all or
 * some frequencies.
 */
export async function determinantGradientOn(
  runner: TaskRunner,
  convolution: Convolution,
  { width, height }: GridSize,
  { sample, weightOfMeans = 0, signal }: DeterminantPass = {},
): Promise<ConvolutionDeterminantGradient> {
  const some = frequenciesOf({ width, height }, sample);
  const frequencies = weightOfMeans === 0 ? some : withMeans(some, weightOfMeans);
  const { maps } = convolution;
  const leaves = Math.ceil(frequencies.length / frequenciesOfLeaf);
  // Eliminations of real matrices of twice the size.
  const operations = frequencies.length * 8 * (maps * maps * maps);
  const parts = Math.min(runner.size, Math.ceil(operations / leastOperations));
  const nodes = splitTree(leaves, Math.max(parts, Math.ceil(operations / operationsOfGradient)));
  const tasks = nodes.map(({ firstLeaf, leaves: count }) => {
    const [from, to] = [firstLeaf, firstLeaf + count].map((leaf) => leaf * frequenciesOfLeaf);
    return { task: { frequencies: frequencies.slice(from, to) }, transfer: [] };
  });
  const shared = { convolution, grid: { width, height } };
  const found = await runner.run(determinantJob, shared, tasks, { signal });
  return joinTree(leaves, nodes, found, addDeterminants);
}

/** Returns the field x with Σ_q F_q x_{p+q} = y_p. */
export async function inverseField(
  runner: TaskRunner,
  convolution: Convolution,
  y: Field,
  options: FrequencyPass = {},
): Promise<Field> {
  const spectrum = spectrumOf(y);
  const results = await runFrequencies(runner, convolution, y, spectrum, options);
  const solved = complexArray(spectrum.real.length);
  let offset = 0;
  for (const { spectrum: part } of results) {
    if (!part) throw new Error("a task lost its frequencies");
    solved.real.set(part.real, offset);
    solved.imaginary.set(part.imaginary, offset);
    offset += part.real.length;
  }
  return fieldOf(solved, y, convolution.maps);
}

/** Operations per task, about 0.1 s. */
const operationsOfTask = 1e8;
const mostFrequencies = 64;

async function runFrequencies(
  runner: TaskRunner,
  convolution: Convolution,
  { width, height }: GridSize,
  spectrum: ComplexArray | null,
  { signal, onPart }: FrequencyPass,
): Promise<FrequencyResult[]> {
  const { maps } = convolution;
  const frequencies = halfGrid({ width, height });
  // Independent of the number of workers, to give the same sums.
  const run = Math.min(mostFrequencies, Math.ceil(operationsOfTask / (maps * maps * maps)));
  const tasks: TaskList<FrequencyTask> = {
    length: Math.ceil(frequencies.length / run),
    at(index) {
      const [from, to] = [index * run, (index + 1) * run];
      const part = spectrum && sliceOf(spectrum, from * maps, to * maps);
      const buffers = part ? [part.real.buffer, part.imaginary.buffer] : [];
      const task = { frequencies: frequencies.slice(from, to), spectrum: part };
      return { task, transfer: buffers as ArrayBuffer[] };
    },
  };
  const shared = { convolution, grid: { width, height } };
  let done = 0;
  const onTaskDone =
    onPart &&
    ((): void => {
      onPart(++done / tasks.length);
    });
  const results = await runner.run(frequencyJob, shared, tasks, { signal, onTaskDone });
  const lost = results.find((result) => result.lost)?.lost;
  if (lost) throw new LostFrequencyError({ width, height }, lost);
  return results;
}

function sliceOf({ real, imaginary }: ComplexArray, from: number, to: number): ComplexArray {
  return { real: real.slice(from, to), imaginary: imaginary.slice(from, to) };
}
