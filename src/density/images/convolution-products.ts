/**
 * Convolutions of fields and their gradients, divided among workers: outputs by rows, which are
 * independent of each other, and gradients by taps, whose parts of ∂L/∂x are summed along a tree.
 * So the bits do not depend on the number of workers.
 */
import { expected } from "../../errors.js";
import { concatenated } from "../../kernels/concatenated.js";
import { addTo, inPrecision } from "../../kernels/float-arrays.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { joinTree, splitTree } from "../../kernels/reduction-tree.js";
import type { Job, JobInput, TaskList, TaskRunner } from "../../parallel/job.js";
import {
  type Edges,
  type Filters,
  type Rows,
  type TapGradients,
  adjointFilters,
  bandFor,
  sizeWithin,
} from "../../transforms/convolutions/products.js";
import { type Field, type FieldBatch, batchOf, requireField } from "../../transforms/field.js";
import { convolutionJob, tapJob } from "./convolution-job.js";

interface PassOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Operations that are worth a message to a worker. */
const operationsOfTask = 5e6;
/** Tasks per worker: parts of a tree differ in size, so several balance the load. */
const tasksPerWorker = 4;
/** Most values of a band, so that the kernels keep their memory from tap to tap. */
const mostValues = 2 ** 20;

/** Computes y_p = Σ_q F_q x_{p+q}. */
export async function convolved(
  runner: TaskRunner,
  filters: Filters,
  x: FieldBatch,
  edges: Edges,
  { signal }: PassOptions = {},
): Promise<FieldBatch> {
  const { taps, maps } = filters;
  const { width, height } = edges === "joined" ? x : sizeWithin(taps, x);
  const length = x.count * width * height * maps;
  const parts = Math.max(
    partsFor(runner, length * maps * taps.width * taps.height),
    Math.ceil(length / mostValues),
  );
  const bands = bandsOf(x.count, height, parts);
  const tasks: TaskList<FieldBatch> = {
    length: bands.length,
    at(index) {
      const task = inputOfBand(filters, x, bands[index], edges);
      return { task, transfer: [task.values.buffer as ArrayBuffer] };
    },
  };
  const shared = { maps, taps, weights: inPrecision(runner.kernels, filters.weights) };
  const outputs = await run(runner, convolutionJob, shared, tasks, signal);
  const values = joinedParts(runner.kernels, outputs);
  return { count: x.count, width, height, maps, values };
}

/** Like {@link convolved}, for a whole field of finite values. */
export async function convolvedField(
  runner: TaskRunner,
  filters: Filters,
  x: Field,
  options?: PassOptions,
): Promise<Field> {
  requireField(x, "the field", filters.maps);
  const { values } = await convolved(runner, filters, batchOf([x]), "joined", options);
  return { ...x, values };
}

/** Returns ∂L/∂x of a convolution of a whole field, which does not depend on x. */
export function transposedConvolution(
  runner: TaskRunner,
  filters: Filters,
  upstream: Field,
  options?: PassOptions,
): Promise<Field> {
  return convolvedField(runner, adjointFilters(filters), upstream, options);
}

export interface ConvolutionGradients {
  /** ∂L/∂F, in the order of the weights. */
  readonly weights: FloatArray;
  /** ∂L/∂x, or null if not requested. */
  readonly x: FloatArray | null;
}

/**
 * Returns gradients of a loss of y, without the log-determinant; `upstream` holds its derivative at
 * the locations of y.
 */
export async function convolutionGradients(
  runner: TaskRunner,
  filters: Filters,
  x: FieldBatch,
  upstream: FloatArray,
  edges: Edges,
  { wantsInput = true, signal }: PassOptions & { readonly wantsInput?: boolean } = {},
): Promise<ConvolutionGradients> {
  const { width, height } = edges === "joined" ? x : sizeWithin(filters.taps, x);
  const length = x.count * width * height * filters.maps;
  if (upstream.length !== length)
    throw expected("upstream", `hold ${length} values`, upstream.length);
  if (edges === "within") {
    return gradientsOfTaps(runner, filters, x, upstream, wantsInput, signal);
  }
  const padded = bandFor(filters, x, { first: 0, end: x.height }, edges);
  const found = await gradientsOfTaps(runner, filters, padded, upstream, false, signal);
  if (!wantsInput) return found;
  const above = { ...x, values: upstream };
  const below = await convolved(runner, adjointFilters(filters), above, edges, { signal });
  return { weights: found.weights, x: below.values };
}

async function gradientsOfTaps(
  runner: TaskRunner,
  { maps, taps, weights }: Filters,
  x: FieldBatch,
  upstream: FloatArray,
  wantsInput: boolean,
  signal: AbortSignal | undefined,
): Promise<ConvolutionGradients> {
  const { kernels } = runner;
  const count = taps.width * taps.height;
  const operations = (wantsInput ? 2 : 1) * upstream.length * maps * count;
  const nodes = splitTree(count, partsFor(runner, operations));
  const tasks = nodes.map(({ firstLeaf: first, leaves }) => {
    const [from, to] = [first, first + leaves].map((tap) => tap * maps * maps);
    const own = wantsInput ? inPrecision(kernels, weights.slice(from, to)) : kernels.floats(0);
    const task = { maps, taps, weights: own, first, count: leaves };
    return { task, transfer: [own.buffer as ArrayBuffer] };
  });
  const found = await run(runner, tapJob, { x, upstream, wantsInput }, tasks, signal);
  return {
    weights: joinedParts(kernels, found.map(weightsOf)),
    x: wantsInput ? inPrecision(kernels, joinTree(count, nodes, found.map(inputOf), addTo)) : null,
  };
}

function weightsOf({ weights }: TapGradients): FloatArray {
  return weights;
}

function inputOf({ x }: TapGradients): Float64Array {
  if (!x) throw new Error("a task lost its gradient");
  return x;
}

/** Returns the number of tasks for so many operations. */
function partsFor({ size }: TaskRunner, operations: number): number {
  return Math.min(tasksPerWorker * size, Math.ceil(operations / operationsOfTask));
}

/** Runs tasks; a single one is not worth a message, and stays in the calling thread. */
async function run<Shared, Task, Result>(
  runner: TaskRunner,
  job: Job<Shared, Task, Result>,
  shared: Shared,
  tasks: TaskList<Task>,
  signal: AbortSignal | undefined,
): Promise<readonly Result[]> {
  if (tasks.length > 1) return runner.run(job, shared, tasks, { signal });
  const session = job.open(runner.kernels);
  session.share(shared);
  return [session.perform((tasks.at(0) as JobInput<Task>).task).result];
}

/** Some rows of consecutive fields. */
interface Band extends Rows {
  readonly firstField: number;
  readonly fields: number;
}

/** Cuts fields of `height` rows into about `parts` bands: whole fields, or rows of single ones. */
function bandsOf(count: number, height: number, parts: number): readonly Band[] {
  const fields = Math.max(1, Math.floor(count / parts));
  const rows = fields > 1 ? height : Math.ceil(height / Math.ceil(parts / count));
  const bands: Band[] = [];
  for (let firstField = 0; firstField < count; firstField += fields) {
    for (let first = 0; first < height; first += rows) {
      bands.push({
        firstField,
        fields: Math.min(fields, count - firstField),
        first,
        end: Math.min(first + rows, height),
      });
    }
  }
  return bands;
}

/** Copies the values that the output of a band depends on. */
function inputOfBand(filters: Filters, x: FieldBatch, band: Band, edges: Edges): FieldBatch {
  const { firstField, fields } = band;
  const length = x.width * x.height * x.maps;
  const values = x.values.subarray(firstField * length, (firstField + fields) * length);
  return bandFor(filters, { ...x, count: fields, values }, band, edges);
}

function joinedParts(kernels: Kernels, parts: readonly FloatArray[]): FloatArray {
  if (parts.length === 1) return parts[0];
  const Kind = kernels.floats(0).constructor as new (length: number) => FloatArray;
  return concatenated(Kind, parts);
}
