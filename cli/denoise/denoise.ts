/** The work of `gaussianize denoise`: picture after picture, with one line for each. */
import { GaussianizeError } from "../../src/errors.js";
import type { Effects } from "../effects.js";
import { withRunner } from "../model-files.js";
import { SkippedFiles } from "../skipped-files.js";
import { oneLine } from "../text.js";
import { denoiseFile } from "./one-file.js";
import { type DenoiseOptions, type Denoiser, openDenoiser, requireConsistent } from "./options.js";
import { type DenoisingTask, planOf } from "./plan.js";
import { DenoisingProgress } from "./progress.js";
import {
  type Outcome,
  type Result,
  jsonOf,
  meanText,
  pictureText,
  stageText,
  warningText,
} from "./text.js";

export async function denoise(
  patterns: readonly string[],
  options: DenoiseOptions,
  effects: Effects,
): Promise<void> {
  requireConsistent(options);
  const skipped = new SkippedFiles();
  const tasks = await planOf(patterns, options, skipped);
  skipped.tell(effects);
  const signal = effects.interruption();
  await withRunner(options, async (runner) => {
    const denoiser = await openDenoiser(runner, options);
    const paths = tasks.map(({ path }) => path);
    const progress = await DenoisingProgress.open(effects, paths, options);
    const session = new Session(options, denoiser, progress, signal, effects);
    for (const [k, task] of tasks.entries()) {
      signal.throwIfAborted();
      await session.take(k, task, tasks.length);
    }
    session.finish(tasks.length);
  });
}

/** Pictures one by one: a failure does not affect the others. */
class Session {
  private readonly results: Result[] = [];
  private readonly failures: Outcome["failures"][number][] = [];
  /** Warnings by cause: only the first picture with a cause is named. */
  private readonly warnings = new Map<string, string>();

  constructor(
    private readonly options: DenoiseOptions,
    private readonly denoiser: Denoiser,
    private readonly progress: DenoisingProgress,
    private readonly signal: AbortSignal,
    private readonly effects: Effects,
  ) {}

  async take(k: number, task: DenoisingTask, count: number): Promise<void> {
    const { options, effects, signal } = this;
    const start = effects.now();
    try {
      const picture = await denoiseFile(task, options, this.denoiser, {
        signal,
        onStage: (stage) => {
          this.progress.report(k, stage.part, stageText(stage));
        },
        onWarning: (warning) => {
          const named = { source: task.path, model: options.model };
          this.warn(...warningText(warning, named));
        },
      });
      this.add(k, { ...picture, seconds: (effects.now() - start) / 1000 });
    } catch (error) {
      this.progress.finishPicture(k);
      // The error of a single picture, or an interruption, ends the command.
      if (count === 1 || signal.aborted || !(error instanceof GaussianizeError)) throw error;
      this.failures.push({ path: task.path, reason: error.message });
      effects.stderr.write(`failed: ${oneLine(error.message)}\n`);
    }
  }

  /** Prints a line as soon as a picture is done, except with --json. */
  private add(k: number, result: Result): void {
    this.results.push(result);
    this.progress.finishPicture(k);
    const { stdout, stderr } = this.effects;
    if (!this.options.json) stdout.write(`${pictureText(result)}\n`);
    else if (result.isUnchanged) stderr.write(`${pictureText(result)}\n`);
    if (result.notKept.length > 0 && result.output !== undefined) {
      const lost = result.notKept.join(", ");
      stderr.write(`warning: ${oneLine(result.output)} cannot hold: ${lost}\n`);
    }
  }

  private warn(cause: string, sentence: string): void {
    if (this.warnings.has(cause)) return;
    this.warnings.set(cause, sentence);
    this.progress.clear();
    this.effects.stderr.write(`warning: ${oneLine(sentence)}\n`);
  }

  /** Prints means or JSON; throws if a picture failed. */
  finish(count: number): void {
    const { results, failures, warnings, options, effects } = this;
    const text = options.json
      ? jsonOf(options, { results, failures, warnings: [...warnings.values()] })
      : meanText(results);
    if (text !== "") effects.stdout.write(`${text}\n`);
    if (failures.length === 0) return;
    throw new GaussianizeError(
      "partly-failed",
      `${failures.length} of ${count} pictures could not be denoised.`,
    );
  }
}
