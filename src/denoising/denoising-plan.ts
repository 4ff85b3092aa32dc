/**
 * Presets of `denoisePicture`: distances of patches in each round, and the time that they take.
 * Strides that divide the side of a patch, 8, cover all pixels equally often; a stride of 3 takes
 * longer than one of 4 and is worse. docs/decisions.md has the figures.
 */
import type { DenoiserSettings } from "./picture-denoiser.js";

export const denoisingPresets = ["fast", "default", "best"] as const;
export type DenoisingPreset = (typeof denoisingPresets)[number];

/** Pixels from one patch to the next. */
export interface DenoisingPlan {
  /** In the first round, paper eq. (7). */
  readonly first: number;
  /** In each guided round; empty without one. */
  readonly guided: readonly number[];
  /** In both passes over similar patches; null without them. */
  readonly similar: readonly [number, number] | null;
}

interface ChannelPlans {
  /** For grey and for brightness. */
  readonly brightness: DenoisingPlan;
  /** For colour differences, which are smooth in photographs. */
  readonly difference: DenoisingPlan;
}

const plans: Readonly<Record<DenoisingPreset, ChannelPlans>> = {
  fast: {
    brightness: { first: 4, guided: [2], similar: null },
    difference: { first: 4, guided: [4], similar: null },
  },
  default: {
    brightness: { first: 4, guided: [4, 2], similar: [6, 5] },
    difference: { first: 4, guided: [2], similar: null },
  },
  best: {
    brightness: { first: 3, guided: [2, 1], similar: [3, 3] },
    difference: { first: 3, guided: [2, 1], similar: [4, 4] },
  },
};

/** Guided rounds of the preset "default" for the brightness. */
const usualGuided = plans.default.brightness.guided.length;

/**
 * Lowest noise level for more rounds, in grey levels. Guided densities were fitted to at least 15;
 * with less noise than this, a second round makes the result worse.
 */
const leastForMore = 4;

/**
 * Returns the plan of a channel: 0 for grey and for brightness. `level` is its noise level in grey
 * levels, and `size` the side of the patches of the first density.
 */
export function planOf(
  settings: DenoiserSettings,
  { channel, level, size }: { channel: number; level: number; size: number },
): DenoisingPlan {
  const { method = "gdn", model, preset = "default", rounds, stride, selfSimilar } = settings;
  const own = plans[preset][channel === 0 ? "brightness" : "difference"];
  const isRefined =
    rounds === undefined ? model === undefined && level >= leastForMore : rounds > 1;
  if (method !== "gdn" || !isRefined) {
    const first = Math.min(size, stride ?? Math.max(1, Math.floor(size / 4)));
    return { first, guided: [], similar: selfSimilar ? usualSimilar : null };
  }
  const guided = guidedStrides(own.guided, rounds, stride);
  const isSimilar = selfSimilar ?? (own.similar !== null && guided.length >= usualGuided);
  return { first: own.first, guided, similar: isSimilar ? (own.similar ?? usualSimilar) : null };
}

const usualSimilar = [6, 5] as const;

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
