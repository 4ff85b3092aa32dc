/**
 * Fits a stack of layers H–GDN, each after the first behind a shift b that it learns:
 *
 *   y = g_L(s_L(… g_2(s_2(g_1(x))))),   s_k(y) = s ⊙ y + b,   g_k of paper eq. (5)
 *
 * or an image cascade, whose layers have convolutions in place of H (fit-image-model.ts).
 *
 * All layers move together, from a start in which those after the first hardly change anything. The
 * paper fits its stages one after the other (§4.3, greedily); here that can come before, for a part
 * `greedy` of the steps:
 *
 *   phase   moves       steps
 *   1       layer 1     greedy/2 of all
 *   2 … L   layer k     greedy/2 of all, in equal parts
 *   last    all layers  the rest
 *
 * Each phase has its own warm-up and its own decay of the rate. What a greedy start brings:
 * docs/decisions.md.
 *
 * A fit can be extended: at each of its `restarts`, the steps at which it ended before, a phase
 * begins in which all layers move, from the best transform so far (warm restarts, Loshchilov &
 * Hutter 2017). The phases before are those of the fit that ended there, so the result depends on
 * the restarts only, not on how often the fit was interrupted.
 */
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { affine } from "../transforms/affine.js";
import { cascade, stagesOf, withStages } from "../transforms/cascade.js";
import { startingGdn } from "../transforms/gdn-start.js";
import type { Gdn } from "../transforms/gdn.js";
import type { AnyTransform, ImageStage } from "../transforms/image-cascade.js";
import type { Transform } from "../transforms/transform.js";
import type { Fit, FitCheckpoint, FitObjective, FitOptions } from "./fit-records.js";
import { fitTransform, startingCheckpoint } from "./fit-transform.js";
import { validationInterval } from "./validation.js";

/** Steps that move the same parameters. */
export interface FitPhase {
  /** Layers that there are by then. */
  readonly layers: number;
  /** Whether only the last of them moves. */
  readonly isGreedy: boolean;
  /** From this number, and up to the next. */
  readonly firstStep: number;
  readonly steps: number;
  /** Whether the fit once ended before it. */
  readonly isExtension?: boolean;
}

export function checkRestarts(restarts: readonly number[], steps: number): void {
  const isSound = [...restarts, steps].every(
    (end, k, ends) => Number.isInteger(end) && end > (k === 0 ? 0 : ends[k - 1]),
  );
  if (isSound) return;
  throw expected("restarts", `be increasing integers from 1 to ${steps - 1}`, restarts);
}

/** Without the phases that too few steps leave nothing for: their layers move when all do. */
export function fitPhases(
  layers: number,
  steps: number,
  greedy = 0,
  restarts: readonly number[] = [],
): readonly FitPhase[] {
  const first = phasesBefore(layers, restarts[0] ?? steps, greedy);
  const extensions = restarts.map((firstStep, k): FitPhase => {
    const end = restarts[k + 1] ?? steps;
    return { layers, isGreedy: false, firstStep, steps: end, isExtension: true };
  });
  return [...first, ...extensions];
}

/** The phases of a fit that was not extended. */
function phasesBefore(layers: number, steps: number, greedy: number): readonly FitPhase[] {
  const endOf = (layer: number): number => {
    if (layers === 1 || layer === 0) return 0;
    return Math.floor(((steps * greedy) / 2) * (1 + (layer - 1) / (layers - 1)));
  };
  const alone = Array.from({ length: layers }, (_, k): FitPhase => {
    const [firstStep, end] = [endOf(k), endOf(k + 1)];
    return { layers: k + 1, isGreedy: true, firstStep, steps: end };
  });
  const firstStep = endOf(layers);
  const joint: FitPhase = { layers, isGreedy: false, firstStep, steps };
  return [...alone, joint].filter((phase) => phase.steps > phase.firstStep);
}

/**
 * The stack that a fit begins with: the layer, and after it layers of the same structure that
 * hardly change anything.
 */
export function startingLayers(first: Gdn, layers: number): Transform {
  if (layers === 1) return first;
  const { structure, dimension, partition, rank } = first;
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
    ...(rank !== undefined && { rank }),
  });
  return cascade([first, ...Array.from({ length: layers - 1 }, () => [shift, next]).flat()]);
}

const stagesPerLayer = 2;

/** How many stages there are when each layer of a stack is complete. */
function layerEnds(stack: AnyTransform): readonly number[] {
  const layers = (stagesOf(stack).length + 1) / stagesPerLayer;
  return Array.from({ length: layers }, (_, k) => stagesPerLayer * k + 1);
}

/** As fitTransform has them; validations without patience until all layers move. */
export interface LayerFitOptions<T extends AnyTransform = Transform> extends Omit<
  FitOptions<T>,
  "firstStep" | "fixedStages" | "objective"
> {
  /** Part of the steps in which the layers move one after the other; default 0. */
  readonly greedy?: number;
  /** Steps at which the fit once ended, and was extended from; default none. */
  readonly restarts?: readonly number[];
  /** How many stages there are when each layer is complete; default: those of a stack. */
  readonly ends?: readonly number[];
  /**
   * What each phase raises, given how many first stages stay as they are; default: the likelihood
   * of samples.
   */
  readonly objectiveFor?: (fixedStages: number) => FitObjective<T>;
}

/** From the stack of `startingLayers`, or from where an earlier fit of it was interrupted. */
export async function fitLayers<T extends AnyTransform>(
  runner: TaskRunner,
  start: T,
  resumed: FitCheckpoint<T> | null,
  { greedy = 0, restarts = [], ends = layerEnds(start), ...others }: LayerFitOptions<T>,
): Promise<Fit<T>> {
  const { objectiveFor, ...options } = others;
  checkRestarts(restarts, options.steps);
  // A checkpoint is never made before the first step of its phase.
  const phases = fitPhases(ends.length, options.steps, greedy, restarts).filter(
    ({ steps }) => resumed === null || resumed.step <= steps,
  );
  let checkpoint = resumed;
  let fit: Fit<T> | undefined;
  for (const phase of phases) {
    const fixed = phase.isGreedy && phase.layers > 1 ? ends[phase.layers - 2] : 0;
    const ofPhase = {
      ...phaseOptions(phase, options),
      ...(objectiveFor ? { objective: objectiveFor(fixed) } : { fixedStages: fixed }),
    };
    checkpoint ??= checkpointAfter(fit, start, ends[phase.layers - 1], ofPhase);
    fit = await fitTransform(runner, checkpoint, ofPhase);
    checkpoint = null;
  }
  if (!fit) throw expected("steps", "be at least those of the checkpoint", options.steps);
  return fit;
}

function phaseOptions<T extends AnyTransform>(
  { isGreedy, isExtension = false, firstStep, steps }: FitPhase,
  options: FitOptions<T>,
): FitOptions<T> {
  const { validation, ...others } = options;
  return {
    ...others,
    firstStep,
    steps,
    // A layer that gains nothing more by itself is no reason to end the fit. Nor are validations of
    // an extension, which are worse than before for as long as the rate is high.
    ...(validation && {
      validation: {
        ...validation,
        ...((isGreedy || isExtension) && { patience: Infinity }),
        ...(isExtension && { every: validationInterval(steps - firstStep) }),
      },
    }),
  };
}

/** Where a phase begins: what the one before found, and its layers that have not moved yet. */
function checkpointAfter<T extends AnyTransform>(
  before: Fit<T> | undefined,
  start: T,
  end: number,
  options: FitOptions<T>,
): FitCheckpoint<T> {
  const found: readonly ImageStage[] = before ? stagesOf(before.transform) : [];
  const all = stagesOf(start);
  const stages = [...found, ...all.slice(found.length, end)];
  const { rejectedSteps = 0, history = [] } = before ?? {};
  const first = withStages(start, stages);
  const best = before && found.length === stages.length ? bestOf(before) : null;
  return { ...startingCheckpoint(first, options), rejectedSteps, history, best };
}

/** All layers were there already: what was found then is what others must be better than. */
function bestOf<T extends AnyTransform>({ transform, validated, steps }: Fit<T>) {
  return validated && { ...validated, transform, lookedAt: steps, disappointments: 0 };
}
