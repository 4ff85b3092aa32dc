/**
 * The gradient of the likelihood of crops (crop-likelihood.ts), from the last stage to the first.
 * Its means are over different numbers of locations: the derivative that a convolution hands down
 * is of a mean over the n after it, and the stage before it has m of them. Times m/n it is one of a
 * mean over these.
 */
import { runBatch } from "../density/batch-passes.js";
import { cascadeInputs } from "../density/images/cascade-inputs.js";
import { determinantGradientOn } from "../density/images/convolution-passes.js";
import { commonParts, finishGradients, logProbOf } from "../density/induced-density.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Convolution } from "../transforms/convolution.js";
import type { FrequencySample } from "../transforms/convolutions/frequencies.js";
import { applyWithin, gradientsWithin, moveFields } from "../transforms/convolutions/products.js";
import { type FieldBatch, type GridSize, locationsOf } from "../transforms/field.js";
import { withStages } from "../transforms/cascade.js";
import { type CascadePart, type ImageCascade, partsOf } from "../transforms/image-cascade.js";
import { parametersOf } from "../transforms/parameters.js";
import type { Cascade, ParameterGroups } from "../transforms/transform.js";
import { type CropShape, fieldsOfCrops } from "./crop-fields.js";
import { frequencyGrid, meanEnergy, meanOf, measureLocations } from "./crop-likelihood.js";

export interface CropGradientOptions {
  readonly shape: CropShape;
  /** So many first stages stay as they are, their gradients are 0; default 0. */
  readonly fixedStages?: number;
  /** ℓ of the convolutions among them, summed: it is the same for all steps. Default 0. */
  readonly fixedConvolutions?: number;
  /** Left out: all. */
  readonly frequencies?: FrequencySample;
  /** That they are of; default {@link frequencyGrid}. */
  readonly grid?: GridSize;
}

export interface CropGradient {
  /** ∂/∂θ of −log p by location, one record for each stage. */
  readonly gradient: readonly ParameterGroups[];
  /** By location, in nats. */
  readonly meanLogProb: number;
  /** Locations without a density. */
  readonly failedSamples: number;
  /** Of each convolution that is not fixed, in their order, over the frequencies looked at. */
  readonly smallestSingularValues: readonly number[];
}

/**
 * The gradient of a step. Without checks: for parameters that a fit has just brought within their
 * bounds.
 */
export async function cropGradient(
  runner: TaskRunner,
  cascade: ImageCascade,
  crops: FloatArray,
  options: CropGradientOptions,
): Promise<CropGradient> {
  const { shape, fixedStages = 0, fixedConvolutions = 0 } = options;
  const fixed = withStages(cascade, cascade.stages.slice(0, fixedStages));
  const moving = partsOf(withStages(cascade, cascade.stages.slice(fixedStages)));
  const whole = fieldsOfCrops(crops, shape, cascade.stages);
  const before = await cascadeInputs(runner, transformsOf(partsOf(fixed)), whole, "within");
  const ofLocations = logDeterminantOfLocations(runner, partsOf(fixed), before, shape.counted);
  const total = new Totals(parametersOf(fixed).map(zeros));
  total.logDeterminant = fixedConvolutions + (await ofLocations);
  const last = moving[moving.length - 1];
  const between = transformsOf(moving.slice(0, -1));
  const inputs = await cascadeInputs(runner, between, before[before.length - 1], "within");
  let upstream: Upstream | null = null;
  if (last.transform.kind === "convolution") {
    const y = applyWithin(runner.kernels, last.transform, inputs[moving.length - 1]);
    total.energy = meanEnergy(y.values, y.maps);
    upstream = { values: y.values, locations: locationsOf(y) };
  }
  for (let k = moving.length - 1; k >= 0; k--) {
    const { transform } = moving[k];
    const wanted = { ...options, wantsInput: k > 0 };
    upstream =
      transform.kind === "convolution"
        ? await convolutionPart(runner, transform, inputs[k], upstream as Upstream, total, wanted)
        : await locationsPart(runner, transform, inputs[k], upstream, total, k > 0);
  }
  return total.result(whole.maps);
}

/** ∂L by what comes out of a part. */
interface Upstream {
  readonly values: FloatArray;
  /** L is a mean over so many locations, and these the derivatives of their sum. */
  readonly locations: number;
}

/** What the parts add, the last one first. */
class Totals {
  energy = 0;
  logDeterminant = 0;
  failedSamples = 0;
  private readonly gradient: ParameterGroups[] = [];
  private readonly smallestSingularValues: number[] = [];

  constructor(private readonly ofFixed: readonly ParameterGroups[]) {}

  add(gradient: readonly ParameterGroups[], logDeterminant: number): void {
    this.gradient.unshift(...gradient);
    this.logDeterminant += logDeterminant;
  }

  addSingularValue(value: number): void {
    this.smallestSingularValues.unshift(value);
  }

  result(maps: number): CropGradient {
    const { energy, logDeterminant, failedSamples, smallestSingularValues } = this;
    return {
      gradient: [...this.ofFixed, ...this.gradient],
      meanLogProb: logProbOf(energy, logDeterminant, maps),
      failedSamples,
      smallestSingularValues,
    };
  }
}

/**
 * Mean of log |det| of the stages between convolutions, at as many locations as count in the end:
 * enough for a figure.
 */
async function logDeterminantOfLocations(
  runner: TaskRunner,
  parts: readonly CascadePart[],
  inputs: readonly FieldBatch[],
  counted: number,
): Promise<number> {
  let sum = 0;
  for (const [k, { transform }] of parts.entries()) {
    if (transform.kind === "convolution") continue;
    const found = await measureLocations(runner, transform, middleOf(inputs[k], counted));
    sum += found.logDeterminant;
  }
  return sum;
}

function middleOf(x: FieldBatch, side: number): FieldBatch {
  const size = { width: side, height: side };
  const values = x.values.slice(0, x.count * side * side * x.maps);
  const [dx, dy] = [Math.floor((x.width - side) / 2), Math.floor((x.height - side) / 2)];
  moveFields(x, size, { dx, dy }, values);
  return { ...x, ...size, values };
}

async function locationsPart(
  runner: TaskRunner,
  transform: Cascade,
  x: FieldBatch,
  upstream: Upstream | null,
  total: Totals,
  wantsInputGradient: boolean,
): Promise<Upstream> {
  const locations = locationsOf(x);
  if (upstream) scale(upstream.values, locations / upstream.locations);
  const batch = await runBatch(runner, transform, {
    pass: "backpropagate",
    x: x.values,
    upstream: upstream?.values ?? null,
    wantsY: false,
    wantsInputGradient,
    wantsSums: true,
  });
  const common = commonParts(runner.kernels, transform);
  const failedStage = batch.failedStage as Int32Array;
  const isSound = (s: number): boolean => failedStage[s] < 0;
  const count = failedStage.reduce((sum, stage) => sum + (stage < 0 ? 1 : 0), 0);
  const sums = batch.sums as readonly ParameterGroups[];
  for (const groups of sums) for (const values of Object.values(groups)) scale(values, 1 / count);
  // The common part of one location is that of the mean.
  const gradient = finishGradients(transform, sums, 1, common);
  const mean = meanOf(batch.logDeterminant as Float64Array, isSound);
  total.add(gradient, mean + common.logDeterminant);
  total.failedSamples += locations - count;
  if (!upstream) total.energy = meanOf(batch.energy as Float64Array, isSound);
  return { values: batch.xGradient ?? x.values, locations };
}

async function convolutionPart(
  runner: TaskRunner,
  convolution: Convolution,
  x: FieldBatch,
  { values, locations }: Upstream,
  total: Totals,
  options: CropGradientOptions & { readonly wantsInput: boolean },
): Promise<Upstream> {
  const { wantsInput, frequencies, grid = frequencyGrid } = options;
  const found = gradientsWithin(runner.kernels, convolution, x, values, wantsInput);
  const determinant = await determinantGradientOn(runner, convolution, grid, frequencies);
  const ofGrid = grid.width * grid.height;
  const weights = determinant.gradient;
  for (let k = 0; k < weights.length; k++) {
    weights[k] = weights[k] / ofGrid + found.weights[k] / locations;
  }
  total.add([{ weights }], determinant.logDeterminant / ofGrid);
  total.addSingularValue(determinant.smallestSingularValue);
  return { values: found.x ?? values, locations };
}

function transformsOf(parts: readonly CascadePart[]): readonly CascadePart["transform"][] {
  return parts.map(({ transform }) => transform);
}

function zeros(groups: ParameterGroups): ParameterGroups {
  return Object.fromEntries(
    Object.entries(groups).map(([name, values]) => [name, new Float32Array(values.length)]),
  );
}

function scale(values: FloatArray, factor: number): void {
  for (let k = 0; k < values.length; k++) values[k] *= factor;
}
