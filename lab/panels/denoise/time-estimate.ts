/** Time that a denoising takes: expected before it starts, and left while it runs. */
import { durationText } from "../../duration.js";
import type { Way } from "./settings.js";

interface Cost {
  /** Seconds of one core for one channel of a million pixels, measured in Chromium. */
  readonly seconds: number;
  /** Whether all workers share the work. */
  readonly isShared: boolean;
}

const costs: Readonly<Record<Way, Cost>> = {
  "gdn-3": { seconds: 21, isShared: true },
  "gdn-1": { seconds: 12, isShared: true },
  gsm: { seconds: 13, isShared: false },
  marginal: { seconds: 3, isShared: false },
};

export interface PictureToDenoise {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** Returns the expected seconds on a machine that needs `pace` times as long as the measured. */
export function expectedSeconds(
  { width, height, channels }: PictureToDenoise,
  way: Way,
  { workers, pace }: { readonly workers: number; readonly pace: number },
): number {
  const { seconds, isShared } = costs[way];
  const megapixels = (width * height * channels) / 1e6;
  return (pace * megapixels * seconds) / (isShared ? workers : 1);
}

/** "about 12 s" */
export function workText(seconds: number): string {
  return seconds < 1 ? "less than a second" : `about ${durationText(seconds)}`;
}

export interface RunningTime {
  /** Seconds that were expected before the start. */
  readonly expected: number;
  /** Seconds since the start. */
  readonly elapsed: number;
  /** Share of the work that is done. */
  readonly part: number;
}

/** Share of the work after which its own pace counts alone. */
const wellKnown = 0.2;

/**
 * Returns the seconds left. The expectation counts at first, and the pace of the run the more the
 * further it is.
 */
export function secondsLeft({ expected, elapsed, part }: RunningTime): number {
  const trust = Math.min(1, part / wellKnown);
  const byPace = part > 0 ? elapsed / part : 0;
  const total = trust * byPace + (1 - trust) * Math.max(expected, elapsed);
  return total - elapsed;
}

/** "about 12 s left"; "" once a run without progress has used up its expected time. */
export function leftText(time: RunningTime): string {
  const seconds = secondsLeft(time);
  return seconds > 0 ? `about ${durationText(seconds)} left` : "";
}
