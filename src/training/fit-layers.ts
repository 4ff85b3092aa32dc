/**
 * Fits a stack of layers H–GDN, with a learned shift b before each layer but the first:
 *
 *   y = g_L(s_L(… g_2(s_2(g_1(x))))),   s_k(y) = s ⊙ y + b,   g_k of paper eq. (5)
 *
 * or an image cascade, whose layers have convolutions instead of H (fit-image-model.ts).
 *
 * All layers are trained together, from a start in which all but the first are nearly the identity.
 * The paper fits its stages one after the other (§4.3, greedily); here a part `greedy` of the steps
 * can do that first:
 *
 *   phase   trains      steps
 *   1       layer 1     greedy/2 of all
 *   2 … L   layer k     greedy/2 of all, in equal parts
 *   last    all layers  the rest
 *
 * With convolutions, the first half of each of the phases 2 … L trains only the middle tap, which
 * is many times faster: the other taps are 0 then.
 *
 * A fit may instead train the first layer `alone` for a part of the steps, and then all layers.
 *
 * Each phase has its own warm-up and decay of the learning rate. docs/decisions.md says what a
 * greedy start gains.
 *
 * A fit can be extended. Each of its `restarts`, a step at which it ended before, begins a phase
 * that trains all layers from the best transform so far (warm restarts, Loshchilov & Hutter 2017).
 * The earlier phases are those of the fit that ended there, so the result depends on the restarts
 * only, not on interruptions.
 */
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { affine } from "../transforms/affine.js";
import { cascade, stagesOf, withStages } from "../transforms/cascade.js";
import { startingCoupling } from "../transforms/coupling-start.js";
import { startingGdn } from "../transforms/gdn-start.js";
import type { Gdn } from "../transforms/gdn.js";
import type { ImageStage } from "../transforms/image-cascade.js";
import { type FittedTransform, countOf } from "../transforms/side-by-side.js";
import type { Transform } from "../transforms/transform.js";
import type { Fit, FitCheckpoint, FitObjective, FitOptions } from "./fit-records.js";
import { fitTransform, startingCheckpoint } from "./fit-transform.js";
import { validationInterval } from "./validation.js";

/** How the steps of a fit are divided among the layers. */
export interface LayerSchedule {
  /** Fraction of the steps that train the layers one after the other; default 0. */
  readonly greedy?: number | undefined;
  /**
   * Fraction of the steps that train the first layer alone, before all layers; default 0. Later
   * objectives are given its result.
   */
  readonly alone?: number | undefined;
  /** Steps at which the fit ended before it was extended; default none. */
  readonly restarts?: readonly number[] | undefined;
  /** Whether a phase of one layer after others begins with its middle tap; default false. */
  readonly startsNarrow?: boolean | undefined;
}

/** Steps that train the same parameters. */
export interface FitPhase {
  /** Number of layers in this phase. */
  readonly layers: number;
  /** Whether only the last layer is trained. */
  readonly isGreedy: boolean;
  readonly firstStep: number;
  /** Step at which the phase ends. */
  readonly steps: number;
  /** Whether only the middle tap of the convolution of the last layer is trained. */
  readonly isNarrow?: boolean;
  /** Whether this phase extends a finished fit. */
  readonly isExtension?: boolean;
}

export function checkRestarts(restarts: readonly number[], steps: number): void {
  const isSound = [...restarts, steps].every(
    (end, k, ends) => Number.isInteger(end) && end > (k === 0 ? 0 : ends[k - 1]),
  );
  if (isSound) return;
  throw expected("restarts", `be increasing integers from 1 to ${steps - 1}`, restarts);
}

/** Returns the phases of a fit, without those that have no step. */
export function fitPhases(
  layers: number,
  steps: number,
  { greedy = 0, alone = 0, restarts = [], startsNarrow = false }: LayerSchedule = {},
): readonly FitPhase[] {
  const end = restarts[0] ?? steps;
  const whole =
    alone > 0 && layers > 1 ? firstThenAll(layers, end, alone) : phasesBefore(layers, end, greedy);
  const first = startsNarrow ? whole.flatMap(narrowFirst) : whole;
  const extensions = restarts.map((firstStep, k): FitPhase => {
    const end = restarts[k + 1] ?? steps;
    return { layers, isGreedy: false, firstStep, steps: end, isExtension: true };
  });
  return [...first, ...extensions];
}

function firstThenAll(layers: number, steps: number, alone: number): readonly FitPhase[] {
  const end = Math.floor(alone * steps);
  const phases = [
    { layers: 1, isGreedy: true, firstStep: 0, steps: end },
    { layers, isGreedy: false, firstStep: end, steps },
  ];
  return phases.filter((phase) => phase.steps > phase.firstStep);
}

/** Divides the phase of a single layer that follows others. */
function narrowFirst(phase: FitPhase): readonly FitPhase[] {
  const { layers, isGreedy, firstStep, steps } = phase;
  const middle = Math.floor((firstStep + steps) / 2);
  if (!isGreedy || layers === 1 || middle === firstStep) return [phase];
  return [
    { ...phase, steps: middle, isNarrow: true },
    { ...phase, firstStep: middle },
  ];
}

/** Returns the phases of a fit that was not extended. */
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
 * Returns the first layer, followed by layers of its structure that are nearly the identity. With
 * `couplings` hidden units, two couplings precede each of them: each half of the components is
 * changed by the other half once.
 */
export function startingLayers(first: Gdn, layers: number, couplings = 0): Transform {
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
  const halves = couplings > 0 ? (["even", "odd"] as const) : [];
  const later = Array.from({ length: layers - 1 }, (_, k) => {
    const pair = halves.map((given) =>
      startingCoupling({ dimension, hidden: couplings, given }, k),
    );
    return [shift, ...pair, next];
  });
  return cascade([first, ...later.flat()]);
}

/** Returns the number of stages up to the end of each layer of a stack, or of several stacks. */
function layerEnds(stack: FittedTransform): readonly number[] {
  const count = countOf(stack);
  return stagesOf(stack).flatMap(({ kind }, k) => {
    return kind === "gdn" && (k + 1) % count === 0 ? [k + 1] : [];
  });
}

/** Steps of a phase, and the number of first stages that it does not train. */
export type ObjectivePhase = Pick<FitPhase, "firstStep" | "steps" | "isNarrow"> & {
  readonly isGreedy?: boolean;
  readonly fixedStages: number;
};

/** Options of fitTransform; `patience` counts only if there is a single phase. */
export interface LayerFitOptions<T extends FittedTransform = Transform>
  extends Omit<FitOptions<T>, "firstStep" | "fixedStages" | "objective">, LayerSchedule {
  /** Number of stages up to the end of each layer; default: those of a stack. */
  readonly ends?: readonly number[];
  /**
   * Returns the objective of a phase; default: the likelihood of samples. `firstLayer` is the
   * result of the phase that trained it alone; null before, and in extensions.
   */
  readonly objectiveFor?: (phase: ObjectivePhase, firstLayer: T | null) => FitObjective<T>;
}

/** Fits layers, from the stack of `startingLayers` or from the checkpoint of an earlier fit. */
export async function fitLayers<T extends FittedTransform>(
  runner: TaskRunner,
  start: T,
  resumed: FitCheckpoint<T> | null,
  { ends = layerEnds(start), ...others }: LayerFitOptions<T>,
): Promise<Fit<T>> {
  const { objectiveFor, greedy, alone = 0, restarts = [], startsNarrow, ...options } = others;
  checkRestarts(restarts, options.steps);
  const schedule = { greedy, alone, restarts, startsNarrow };
  // A checkpoint is at least one step into its phase.
  const phases = fitPhases(ends.length, options.steps, schedule).filter(
    ({ steps }) => resumed === null || resumed.step <= steps,
  );
  let checkpoint = resumed;
  let firstLayer = resumed?.firstLayer ?? null;
  let fit: Fit<T> | undefined;
  for (const phase of phases) {
    const fixed = phase.isGreedy && phase.layers > 1 ? ends[phase.layers - 2] : 0;
    // An extension begins with a stack that is better than its first layer was.
    const guide = phase.isExtension ? null : firstLayer;
    const ofPhase = {
      ...phaseOptions(phase, options),
      ...(objectiveFor
        ? { objective: objectiveFor({ ...phase, fixedStages: fixed }, guide) }
        : { fixedStages: fixed }),
    };
    checkpoint ??= checkpointAfter(fit, start, ends[phase.layers - 1], ofPhase);
    fit = await fitTransform(runner, { ...checkpoint, firstLayer }, ofPhase);
    checkpoint = null;
    if (alone > 0 && phase.isGreedy) firstLayer = fit.transform;
  }
  if (!fit) throw expected("steps", "be at least those of the checkpoint", options.steps);
  return fit;
}

function phaseOptions<T extends FittedTransform>(
  { isGreedy, isExtension = false, firstStep, steps }: FitPhase,
  options: FitOptions<T>,
): FitOptions<T> {
  const { validation, ...others } = options;
  return {
    ...others,
    firstStep,
    steps,
    // A single layer that stops improving must not end the fit. Neither must a later phase, whose
    // validations are worse than the result of the phase before while the rate is high.
    ...(validation && {
      validation: {
        ...validation,
        ...((isGreedy || firstStep > 0) && { patience: Infinity }),
        ...(isExtension && { every: validationInterval(steps - firstStep) }),
      },
    }),
  };
}

/** Returns the start of a phase: the result of the phase before, and layers not trained yet. */
function checkpointAfter<T extends FittedTransform>(
  before: Fit<T> | undefined,
  start: T,
  end: number,
  options: FitOptions<T>,
): FitCheckpoint<T> {
  const found: readonly ImageStage[] = before ? stagesOf(before.transform) : [];
  const all = stagesOf(start);
  const stages = [...found, ...all.slice(found.length, end)];
  const { rejectedSteps = 0, history = [] } = before ?? {};
  // Transforms side by side keep their weights.
  const like = before?.transform.kind === "side-by-side" ? before.transform : start;
  const first = withStages(like, stages);
  const best = before && found.length === stages.length ? bestOf(before) : null;
  return { ...startingCheckpoint(first, options), rejectedSteps, history, best };
}

/** Returns the best validation of a phase that had all layers, as the value to improve on. */
function bestOf<T extends FittedTransform>({ transform, validated, steps }: Fit<T>) {
  return validated && { ...validated, transform, lookedAt: steps, disappointments: 0 };
}
