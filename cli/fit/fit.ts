/** The work of `gaussianize fit`, from its options to the outcome that it prints. */
import { GaussianizeError, UsageError } from "../../src/errors.js";
import type { Effects } from "../effects.js";
import { withRunner } from "../model-files.js";
import type { FitConfig } from "./config.js";
import { mixtureOption } from "./consistency.js";
import { type FirstRank, fitOnRanks, requireOneProcess } from "./distributed.js";
import { type EnteredRun, enterRun, openRun } from "./enter-run.js";
import { openImages } from "./images.js";
import { requireMemory } from "./memory.js";
import type { FitCommandLine } from "./options.js";
import { type FitOutcome, endedOutcome, outcomeText } from "./outcome.js";
import { type FitRun, runFit } from "./run.js";

export async function fit(commandLine: FitCommandLine, effects: Effects): Promise<void> {
  const { options } = commandLine;
  if (options.resume && options.force) {
    throw new UsageError("Give either --resume or --force, not both.");
  }
  const result =
    options.distributed === "mpi"
      ? await fitTogether(commandLine, effects)
      : await fitAlone(commandLine, effects);
  if (!result) return;
  const { problem } = result;
  if (options.json) effects.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else if (problem === null) effects.stdout.write(outcomeText(result));
  if (problem !== null) throw new GaussianizeError("fit-failed", problem);
}

async function fitAlone(commandLine: FitCommandLine, effects: Effects): Promise<FitOutcome> {
  const { options } = commandLine;
  if (options.distributed === undefined) requireOneProcess(effects.environment);
  const signal = effects.interruption();
  const entered = await enterRun(commandLine, effects);
  try {
    if (!entered.resumed) requireMemory(entered.terms, effects.memory());
    const set = await openImages(entered.terms, options.strict ?? false, effects, signal);
    const run = await openRun(entered, set, options);
    const outcome = await endedOutcome({ run }, effects);
    if (outcome) return outcome;
    if (set.images.length === 1 && entered.terms.heldOut > 0) {
      effects.stderr.write("Only one image: the fit runs without validation.\n");
    }
    const fitting = { run, config: run.config as FitConfig, set, signal };
    return await orNotExtended(entered, fitting, (fit) =>
      withRunner(
        options,
        (runner) => runFit(runner, fit, effects),
        fit.config.fastMath ? { kernels: "relaxed-simd" } : {},
      ),
    );
  } finally {
    await entered.leave();
  }
}

function fitTogether(
  commandLine: FitCommandLine,
  effects: Effects,
): Promise<FitOutcome | undefined> {
  const { options, asked } = commandLine;
  if (asked.cascade !== undefined) {
    throw new UsageError("--distributed is for patches; one process fits a --cascade.");
  }
  const mixed = mixtureOption(asked);
  if (mixed !== undefined) {
    throw new UsageError(`${mixed} is for one process; received --distributed mpi.`);
  }
  if (options.workers === 0) {
    throw new UsageError("--workers must be at least 1 with --distributed; received 0.");
  }
  let entered: EnteredRun | undefined;
  const first: FirstRank = {
    enter: async () => {
      entered = await enterRun(commandLine, effects);
      const { terms } = entered;
      const mixed = mixtureOption(terms);
      if (terms.cascade === undefined && mixed === undefined) return terms;
      const kind = mixed === undefined ? "a cascade" : `a fit with ${mixed}`;
      throw new UsageError(
        `The run in ${options.output} is ${kind}, which needs one process: resume it without --distributed.`,
      );
    },
    open: (set) => openRun(entered as EnteredRun, set, options),
    leave: () => entered?.leave() ?? Promise.resolve(),
  };
  return fitOnRanks(first, options, effects);
}

/** Restores the run if an extension fails before its first own checkpoint. */
async function orNotExtended<Outcome>(
  { resumed }: EnteredRun,
  fit: FitRun,
  run: (fit: FitRun) => Promise<Outcome>,
): Promise<Outcome> {
  const before = resumed?.config as FitConfig | undefined;
  let stepsKept = 0;
  const onKept = (steps: number): void => {
    stepsKept = steps;
  };
  try {
    return await run({ ...fit, onKept });
  } catch (error) {
    const isExtension = before !== undefined && before.steps < fit.config.steps;
    if (isExtension && !fit.signal.aborted && stepsKept <= before.steps) {
      await fit.run.extended(before);
    }
    throw error;
  }
}
