/**
 * Presets of `denoisePicture`: distances of patches in each round, and the time that they take.
 * Strides that divide the side of a patch, 8, cover all pixels equally often; a stride of 3 takes
 * longer than one of 4 and is worse. docs/decisions.md has the figures.
 */
export const denoisingPresets = ["fast", "default", "best"] as const;
export type DenoisingPreset = (typeof denoisingPresets)[number];

/** Settings of a denoiser (picture-denoiser.ts) that a plan depends on. */
interface PlannedSettings {
  readonly method?: string;
  readonly model?: unknown;
  readonly preset?: DenoisingPreset | undefined;
  readonly rounds?: number | undefined;
  readonly stride?: number | undefined;
  readonly selfSimilar?: boolean | undefined;
  readonly fitSteps?: number | undefined;
}

/** Pixels from one patch to the next. */
export interface DenoisingPlan {
  /** In the first round, paper eq. (7). */
  readonly first: number;
  /** In each guided round; empty without one. */
  readonly guided: readonly number[];
  /** In each of one or two passes over similar patches; null without them. */
  readonly similar: readonly number[] | null;
}

const plans: Readonly<Record<DenoisingPreset, DenoisingPlan>> = {
  fast: { first: 4, guided: [2], similar: [7] },
  default: { first: 4, guided: [4, 2], similar: [5, 4] },
  best: { first: 3, guided: [2, 1], similar: [3, 3] },
};

/**
 * Lowest noise level for more rounds, in grey levels. Guided densities were fitted to at least 15;
 * with less noise than this, a second round makes the result worse.
 */
const leastForMore = 4;

/**
 * Returns the plan of a channel. `level` is its noise level in grey levels, and `size` the side of
 * the patches of the first density.
 */
export function planOf(
  settings: PlannedSettings,
  { level, size }: { level: number; size: number },
): DenoisingPlan {
  const { method = "gdn", model, preset = "default", rounds, stride, selfSimilar } = settings;
  const own = plans[preset];
  const isForDrawings = isFittedPrior(settings);
  const isUsual = model === undefined && level >= leastForMore && !isForDrawings;
  const isRefined = rounds === undefined ? isUsual : rounds > 1;
  if (method !== "gdn" || !isRefined) {
    const first = Math.min(size, stride ?? Math.max(1, Math.floor(size / 4)));
    const isSimilar = selfSimilar ?? isForDrawings;
    return { first, guided: [], similar: isSimilar ? own.similar : null };
  }
  const guided = guidedStrides(own.guided, rounds, stride);
  const isSimilar = selfSimilar ?? guided.length >= own.guided.length;
  return { first: own.first, guided, similar: isSimilar ? own.similar : null };
}

/**
 * Tells whether a prior is fitted to the picture, with nothing said about the rounds. Guided
 * densities know photographs only, so none follow.
 */
function isFittedPrior(settings: PlannedSettings): boolean {
  const { method = "gdn", model, rounds, fitSteps = 0 } = settings;
  return method === "gdn" && model === undefined && rounds === undefined && fitSteps > 0;
}

/** Takes the last guided rounds, or repeats the first; `stride` is that of the last, if given. */
function guidedStrides(
  usual: readonly number[],
  rounds = usual.length + 1,
  stride?: number,
): readonly number[] {
  const strides = Array.from({ length: rounds - 1 }, (_, k) => {
    const own = usual[Math.max(0, k + usual.length - (rounds - 1))];
    return stride === undefined ? own : Math.max(own, stride);
  });
  return stride === undefined ? strides : [...strides.slice(0, -1), stride];
}

/** Times for a patch at every pixel, and for each pixel of a pass, in microseconds of one core. */
const timeOfFirst = 3;
const timeOfGuided = 2;
const timeOfSimilar = 34;
const timeOfPixel = 0.15;

/** Time of each part of a plan for one pixel, in microseconds of one core of a server of 2023. */
export function timesOf({ first, guided, similar }: DenoisingPlan) {
  const of = (time: number, stride: number): number => timeOfPixel + time / (stride * stride);
  const sumOf = (time: number, strides: readonly number[]): number =>
    strides.reduce((sum, stride) => sum + of(time, stride), 0);
  return {
    first: of(timeOfFirst, first),
    guided: sumOf(timeOfGuided, guided),
    similar: sumOf(timeOfSimilar, similar ?? []),
  };
}

export function totalTime(plan: DenoisingPlan): number {
  const { first, guided, similar } = timesOf(plan);
  return first + guided + similar;
}
