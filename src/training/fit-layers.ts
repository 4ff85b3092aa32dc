/**
 * Fits a stack of layers H–GDN, each after the first behind a shift b that it learns:
 *
 *   y = g_L(s_L(… g_2(s_2(g_1(x))))),   s_k(y) = s ⊙ y + b,   g_k of paper eq. (5)
 *
 * The paper fits its stages one after the other (§4.3). Here that is only the start: after it, all layers move together.
 *
 *   phase   moves                   steps
 *   1       layer 1                 a fifth of all
 *   2 … L   layer k, near identity  a fifth of all, in equal parts
 *   last    all layers              the rest
 *
 * Each phase has its own warm-up and its own decay of the rate.
 */
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { affine } from "../transforms/affine.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { startingGdn } from "../transforms/gdn-start.js";
import type { Gdn } from "../transforms/gdn.js";
import type { Cascade, Stage, Transform } from "../transforms/transform.js";
import {
  type Fit,
  type FitCheckpoint,
  type FitOptions,
  fitTransform,
  startingCheckpoint,
} from "./fit-transform.js";

export const mostLayers = 12;

/** Of all steps: those of the first layer by itself, and of the others together, one after the other. */
const shareOfFirst = 0.2;
const shareOfOthers = 0.2;

/** Steps that move the same parameters. */
export interface FitPhase {
  /** Layers that there are by then. */
  readonly layers: number;
  /** Whether only the last of them moves. */
  readonly isGreedy: boolean;
  /** From this number, and up to the next. */
  readonly firstStep: number;
  readonly steps: number;
}

export function checkLayers(layers: number): void {
  if (Number.isInteger(layers) && layers >= 1 && layers <= mostLayers) return;
  throw expected("layers", `be an integer from 1 to ${mostLayers}`, layers);
}

/** Without the phases that too few steps leave nothing for; a layer then first moves in the next one. */
export function fitPhases(layers: number, steps: number): readonly FitPhase[] {
  const endOf = (layer: number): number => {
    if (layers === 1 || layer === 0) return 0;
    const others = (shareOfOthers * (layer - 1)) / (layers - 1);
    return Math.floor(steps * (shareOfFirst + others));
  };
  const greedy = Array.from({ length: layers }, (_, k): FitPhase => {
    return { layers: k + 1, isGreedy: true, firstStep: endOf(k), steps: endOf(k + 1) };
  });
  const joint: FitPhase = { layers, isGreedy: false, firstStep: endOf(layers), steps };
  return [...greedy, joint].filter((phase) => phase.steps > phase.firstStep);
}

/** The stack that a fit begins with: the layer, and after it layers of the same structure that hardly change anything. */
export function startingLayers(first: Gdn, layers: number): Transform {
  if (layers === 1) return first;
  const { structure, dimension, partition } = first;
  const H = new Float32Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) H[i * (dimension + 1)] = 1;
  const shift = affine({
    dimension,
    scale: new Float32Array(dimension).fill(1),
    shift: new Float32Array(dimension),
  });
  const next = startingGdn({
    structure,
    dimension,
    H,
    isNearIdentity: true,
    ...(partition && { partition }),
  });
  return cascade([first, ...Array.from({ length: layers - 1 }, () => [shift, next]).flat()]);
}

const stagesPerLayer = 2;
const stagesIn = (layers: number): number => stagesPerLayer * layers - 1;

/** As fitTransform has them; validations without patience until all layers move. */
export type LayerFitOptions = Omit<FitOptions, "firstStep" | "fixedStages" | "objective">;

/** From the stack of `startingLayers`, or from where an earlier fit of it was interrupted. */
export async function fitLayers(
  runner: TaskRunner,
  start: Transform,
  resumed: FitCheckpoint | null,
  options: LayerFitOptions,
): Promise<Fit> {
  if (start.kind !== "cascade") return fitTransform(runner, resumed ?? start, options);
  const layers = (start.stages.length + 1) / stagesPerLayer;
  // A checkpoint is never made before the first step of its phase.
  const phases = fitPhases(layers, options.steps).filter(
    ({ steps }) => resumed === null || resumed.step <= steps,
  );
  let checkpoint = resumed;
  let fit: Fit | undefined;
  for (const phase of phases) {
    const ofPhase = phaseOptions(phase, options);
    checkpoint ??= checkpointAfter(fit, start, phase, ofPhase);
    fit = await fitTransform(runner, checkpoint, ofPhase);
    checkpoint = null;
  }
  if (!fit) throw expected("steps", "be at least those of the checkpoint", options.steps);
  return fit;
}

function phaseOptions(
  { layers, isGreedy, firstStep, steps }: FitPhase,
  options: LayerFitOptions,
): FitOptions {
  const { validation, ...others } = options;
  return {
    ...others,
    firstStep,
    steps,
    fixedStages: isGreedy && layers > 1 ? stagesIn(layers - 1) : 0,
    // A layer that gains nothing more by itself is no reason to end the fit.
    ...(validation && {
      validation: isGreedy ? { ...validation, patience: Infinity } : validation,
    }),
  };
}

/** Where a phase begins: what the one before found, and its layers that have not moved yet. */
function checkpointAfter(
  before: Fit | undefined,
  start: Cascade,
  { layers }: FitPhase,
  options: FitOptions,
): FitCheckpoint {
  const found: readonly Stage[] = before ? stagesOf(before.transform) : [];
  const stages = [...found, ...start.stages.slice(found.length, stagesIn(layers))];
  const { rejectedSteps = 0, history = [] } = before ?? {};
  return { ...startingCheckpoint<Transform>(cascade(stages), options), rejectedSteps, history };
}
