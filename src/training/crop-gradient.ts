/**
 * The gradient of the likelihood of crops (crop-likelihood.ts), from the last stage to the first.
 * Stages have different numbers of locations: a convolution passes down the derivative of a mean
 * over its n output locations, and the factor m/n turns it into one of a mean over its m input
 * locations.
 */
import { runBatch } from "../density/batch-passes.js";
import { cascadeInputs } from "../density/images/image-responses.js";
import { determinantGradientOn } from "../density/images/convolution-passes.js";
import { convolutionGradients, convolved } from "../density/images/convolution-products.js";
import type { ProbeRequest } from "../density/transform-job.js";
import { commonParts, finishGradients, logProbOf } from "../density/induced-density.js";
import type { FloatArray } from "../kernels/kernels.js";
import { seedOfPart } from "../kernels/probes.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import type { RandomStream } from "../random/random-stream.js";
import type { Convolution } from "../transforms/convolution.js";
import { moveFields } from "../transforms/convolutions/products.js";
import { type FieldBatch, type GridSize, locationsOf } from "../transforms/field.js";
import { stagesOf, withStages } from "../transforms/cascade.js";
import { type CascadePart, type ImageCascade, partsOf } from "../transforms/image-cascade.js";
import { parametersOf } from "../transforms/parameters.js";
import type { Cascade, ParameterGroups } from "../transforms/transform.js";
import { type CropShape, fieldsOfCrops } from "./crop-likelihood.js";
import { frequencyGrid, meanEnergy, meanOf, measureLocations } from "./crop-likelihood.js";
import {
  type GradientEstimate,
  estimateOf,
  isEstimated,
  probeRequest,
} from "./negentropy-gradient.js";

export interface CropGradientOptions {
  readonly shape: CropShape;
  /** Number of first stages that are not trained; their gradients are 0. Default 0. */
  readonly fixedStages?: number;
  /** Sum of ℓ over the convolutions among them, the same at every step. Default 0. */
  readonly fixedConvolutions?: number;
  /** Chooses the frequencies of this step; default: all of them. */
  readonly frequencies?: RandomStream;
  /** Additional weight per location of the frequency 0 of the first convolution; default 0. */
  readonly weightOfMeans?: number;
  /** Seed of random signs, to estimate the gradients of GDNs; default: exact. */
  readonly probes?: { readonly seed: number } | undefined;
  /** Grid of the frequencies; default {@link frequencyGrid}. */
  readonly grid?: GridSize;
}

export interface CropGradient {
  /** ∂/∂θ of −log p per location, one record per stage. */
  readonly gradient: readonly ParameterGroups[];
  /** Mean log p per location, in nats. */
  readonly meanLogProb: number;
  /** Number of locations without a density. */
  readonly failedSamples: number;
  /** Statistics of the estimate, the mean over the GDNs; missing for an exact gradient. */
  readonly estimate?: GradientEstimate;
  /** Smallest singular value of each trained convolution at the frequencies of this step. */
  readonly smallestSingularValues: readonly number[];
}

/** Returns the gradient of a step, for parameters that are within their bounds. */
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
  const total = new Totals();
  total.logDeterminant = fixedConvolutions + (await ofLocations);
  const last = moving[moving.length - 1];
  const between = transformsOf(moving.slice(0, -1));
  const inputs = await cascadeInputs(runner, between, before[before.length - 1], "within");
  let upstream: Upstream | null = null;
  if (last.transform.kind === "convolution") {
    const y = await convolved(runner, last.transform, inputs[moving.length - 1], "within");
    total.energy = meanEnergy(y.values, y.maps);
    upstream = { values: y.values, locations: locationsOf(y) };
  }
  for (let k = moving.length - 1; k >= 0; k--) {
    const { transform } = moving[k];
    const isFirst = !moving.slice(0, k).some((part) => part.transform.kind === "convolution");
    const weightOfMeans = isFirst ? (options.weightOfMeans ?? 0) : 0;
    const wanted = { ...options, weightOfMeans, wantsInput: k > 0 };
    upstream =
      transform.kind === "convolution"
        ? await convolutionPart(runner, transform, inputs[k], upstream as Upstream, total, wanted)
        : await locationsPart(runner, transform, inputs[k], upstream, total, {
            wantsInput: k > 0,
            // Every part has signs of its own.
            probes: options.probes && probeRequest(seedOfPart(options.probes.seed, k)),
          });
  }
  const { energy, logDeterminant, failedSamples, smallestSingularValues } = total;
  return {
    gradient: [...parametersOf(fixed).map(zeros), ...total.gradient],
    meanLogProb: logProbOf(energy, logDeterminant, whole.maps),
    failedSamples,
    ...(total.estimates.length > 0 && { estimate: meanEstimate(total.estimates) }),
    smallestSingularValues,
  };
}

/** ∂L by the output of a part. */
interface Upstream {
  /** Derivatives of the sum of L over the locations. */
  readonly values: FloatArray;
  readonly locations: number;
}

/** Sums over the parts, which are added from last to first. */
class Totals {
  energy = 0;
  logDeterminant = 0;
  failedSamples = 0;
  readonly gradient: ParameterGroups[] = [];
  readonly estimates: GradientEstimate[] = [];
  readonly smallestSingularValues: number[] = [];

  add(gradient: readonly ParameterGroups[], logDeterminant: number): void {
    this.gradient.unshift(...gradient);
    this.logDeterminant += logDeterminant;
  }
}

/**
 * Returns the mean log |det| of the stages between convolutions, at as many locations as there are
 * after all stages.
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

interface LocationOptions {
  readonly wantsInput: boolean;
  readonly probes?: ProbeRequest | undefined;
}

async function locationsPart(
  runner: TaskRunner,
  transform: Cascade,
  x: FieldBatch,
  upstream: Upstream | null,
  total: Totals,
  { wantsInput, probes }: LocationOptions,
): Promise<Upstream> {
  const locations = locationsOf(x);
  if (upstream) scale(upstream.values, locations / upstream.locations);
  const batch = await runBatch(runner, transform, {
    pass: "backpropagate",
    x: x.values,
    upstream: upstream?.values ?? null,
    wantsY: false,
    wantsInputGradient: wantsInput,
    wantsSums: true,
    ...(probes && { probes }),
  });
  const stages = stagesOf(transform);
  if (probes && stages.some(isEstimated)) total.estimates.push(estimateOf(stages, batch));
  const common = commonParts(runner.kernels, transform);
  const failedStage = batch.failedStage as Int32Array;
  const isSound = (s: number): boolean => failedStage[s] < 0;
  const count = failedStage.reduce((sum, stage) => sum + (stage < 0 ? 1 : 0), 0);
  const sums = batch.sums as readonly ParameterGroups[];
  for (const groups of sums) for (const values of Object.values(groups)) scale(values, 1 / count);
  // The sums are means now, so the common part counts once.
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
  const { wantsInput, frequencies, weightOfMeans = 0, grid = frequencyGrid } = options;
  const ofGrid = grid.width * grid.height;
  const found = await convolutionGradients(runner, convolution, x, values, "within", {
    wantsInput,
  });
  const determinant = await determinantGradientOn(runner, convolution, grid, {
    sample: frequencies && { ...sampleSizeFor(convolution), random: frequencies },
    weightOfMeans: weightOfMeans * ofGrid,
  });
  const weights = determinant.gradient;
  for (let k = 0; k < weights.length; k++) {
    weights[k] = weights[k] / ofGrid + found.weights[k] / locations;
  }
  total.add([{ weights }], determinant.logDeterminant / ofGrid);
  total.smallestSingularValues.unshift(determinant.smallestSingularValue);
  return { values: found.x ?? values, locations };
}

/** Fewest frequencies along an axis. */
const fewestFrequencies = 4;

/**
 * Returns the size of the sample of frequencies for a convolution. With n frequencies along an
 * axis, responses that are n taps apart cannot be told from each other. Below taps − 1 frequencies,
 * the noise is as large as with independent ones.
 */
export function sampleSizeFor({ taps }: { readonly taps: GridSize }): GridSize {
  const along = (count: number): number => {
    let size = count === 1 ? 1 : fewestFrequencies;
    while (size < count - 1) size *= 2;
    return size;
  };
  return { width: along(taps.width), height: along(taps.height) };
}

function meanEstimate(estimates: readonly GradientEstimate[]): GradientEstimate {
  const count = estimates.length;
  const products = estimates.reduce((sum, estimate) => sum + estimate.products, 0) / count;
  const squares = estimates.reduce((sum, { residual }) => sum + square(residual), 0) / count;
  return { products, residual: Math.sqrt(squares) };
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
