/** One progress line for all pictures, which count by their pixels and the steps of their fits. */
import { basename } from "node:path";
import { planOf, totalTime } from "../../src/denoising/denoising-plan.js";
import { timeOfFitStep, usualFitSteps } from "../../src/denoising/fit-to-image.js";
import { pictureSize } from "../../node/decode-picture.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { oneLine } from "../text.js";
import { type DenoiseOptions, presetOf } from "./options.js";

type TimedOptions = Partial<
  Pick<DenoiseOptions, "self" | "selfSteps" | "method" | "rounds" | "stride" | "fast" | "best">
>;

/** Returns the pixels that are denoised in the time of the fit to a picture. */
function pixelsOfFit({ self, selfSteps = usualFitSteps, ...options }: TimedOptions): number {
  if (!self) return 0;
  const settings = { ...options, preset: presetOf(options) };
  return (timeOfFitStep * selfSteps) / totalTime(planOf(settings, usualChannel));
}

const usualChannel = { level: 25, size: 8 };

export class DenoisingProgress {
  private readonly progress: Progress;
  private before = 0;

  private constructor(
    effects: Effects,
    private readonly paths: readonly string[],
    /** Work of each picture, in pixels that take as long to denoise. */
    private readonly work: readonly number[],
  ) {
    const total = work.reduce((sum, amount) => sum + amount, 0);
    this.progress = new Progress(effects, "denoise", total);
  }

  static async open(
    effects: Effects,
    paths: readonly string[],
    options: TimedOptions,
  ): Promise<DenoisingProgress> {
    const fit = pixelsOfFit(options);
    const work: number[] = [];
    for (const path of paths) {
      // An unreadable picture takes no time.
      const size = await pictureSize(path).catch(() => undefined);
      work.push(size ? size.width * size.height + fit : 1);
    }
    return new DenoisingProgress(effects, paths, work);
  }

  /** Prints "denoise photo.png (1 of 3): fitting, step 40 of 150, 12 s left". */
  report(k: number, part: number, doing: string): void {
    const place = this.paths.length === 1 ? "" : ` (${k + 1} of ${this.paths.length})`;
    const name = `${oneLine(basename(this.paths[k]))}${place}`;
    this.progress.reportAs(this.before + part * this.work[k], () => `denoise ${name}: ${doing}`);
  }

  /** Counts picture k as done, whether or not it failed. */
  finishPicture(k: number): void {
    this.before += this.work[k];
    this.clear();
  }

  clear(): void {
    this.progress.finish();
  }
}
