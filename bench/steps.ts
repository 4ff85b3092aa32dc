/** Gradient steps of both builds and of PyTorch, in turns. */
import type { KernelName } from "../src/kernels/kernels.js";
import { defaultRounds } from "./measure.js";
import { problems } from "./problem.js";
import { type PyTorchFigures, betterOf, measurePyTorch } from "./pytorch.js";
import { measureStep } from "./step.js";
import { table, whole } from "./table.js";

export interface StepFigures {
  /** Samples per second by problem. */
  readonly oneWorker: Record<string, number>;
  readonly twoWorkers: Record<string, number>;
  /** Two workers against PyTorch at its best; null without torch. */
  readonly ratioToPyTorch: Record<string, number | null>;
}

export interface AllStepFigures {
  readonly plain: StepFigures;
  /** Null if the engine has no relaxed SIMD. */
  readonly relaxed: StepFigures | null;
  readonly pyTorch: PyTorchFigures | null;
}

export interface StepsOptions {
  readonly hasRelaxed: boolean;
  readonly withPyTorch: boolean;
  /** Factor of the time that is taken; 1 for the usual time. */
  readonly haste: number;
}

type Rates = Omit<StepFigures, "ratioToPyTorch">;

/** Measures twice and in turns, so that other load slows all alike. */
export async function measureSteps(
  options: StepsOptions,
  say: (text: string) => void,
): Promise<AllStepFigures> {
  const first = await oneTurn(options, say);
  const second = await oneTurn(options, say);
  const pyTorch = betterOf(first.pyTorch, second.pyTorch);
  const figuresOf = (rates: Rates): StepFigures => ({
    ...rates,
    ratioToPyTorch: ratios(rates, pyTorch),
  });
  takeBetter(first.plain, second.plain);
  if (first.relaxed && second.relaxed) takeBetter(first.relaxed, second.relaxed);
  return {
    plain: figuresOf(first.plain),
    relaxed: first.relaxed && figuresOf(first.relaxed),
    pyTorch,
  };
}

async function oneTurn(
  { hasRelaxed, withPyTorch, haste }: StepsOptions,
  say: (text: string) => void,
) {
  return {
    plain: await ratesOf("simd", haste, say),
    relaxed: hasRelaxed ? await ratesOf("relaxed-simd", haste, say) : null,
    pyTorch: withPyTorch ? await measurePyTorch(problems, 1.5 * haste, say) : null,
  };
}

async function ratesOf(
  kernels: KernelName,
  haste: number,
  say: (text: string) => void,
): Promise<Rates> {
  const rounds = { ...defaultRounds, total: defaultRounds.total * haste };
  const rates: Rates = { oneWorker: {}, twoWorkers: {} };
  for (const problem of problems) {
    say(`gradient step, ${problem.name}, ${kernels}`);
    rates.oneWorker[problem.name] = await measureStep(problem, { kernels, workers: 1, rounds });
    rates.twoWorkers[problem.name] = await measureStep(problem, { kernels, workers: 2, rounds });
  }
  return rates;
}

function takeBetter(rates: Rates, again: Rates): void {
  for (const group of ["oneWorker", "twoWorkers"] as const) {
    for (const [name, rate] of Object.entries(again[group])) {
      rates[group][name] = Math.max(rates[group][name], rate);
    }
  }
}

function ratios(rates: Rates, pyTorch: PyTorchFigures | null): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(rates.twoWorkers).map(([name, rate]) => [
      name,
      pyTorch ? rate / pyTorch.samplesPerSecond[name] : null,
    ]),
  );
}

/** A table of all problems and builds, and the settings of PyTorch. */
export function stepTable({ plain, relaxed, pyTorch }: AllStepFigures): string {
  const builds = [
    ["plain SIMD", plain],
    ["relaxed SIMD", relaxed],
  ] as const;
  const rows = Object.keys(plain.oneWorker).flatMap((problem) =>
    builds.flatMap(([name, figures]) => {
      if (!figures) return [];
      const ratio = figures.ratioToPyTorch[problem];
      return [
        [
          problem,
          name,
          whole(figures.oneWorker[problem]),
          whole(figures.twoWorkers[problem]),
          pyTorch ? whole(pyTorch.samplesPerSecond[problem]) : "–",
          ratio === null ? "–" : `${ratio.toFixed(2)}×`,
        ],
      ];
    }),
  );
  const head =
    "gradient step, samples/s | build | 1 worker | 2 workers | PyTorch | 2 workers / PyTorch";
  return [table(head, rows), `${settingsOf(pyTorch)}\n`].join("\n");
}

function settingsOf(pyTorch: PyTorchFigures | null): string {
  if (!pyTorch) return "PyTorch was not measured.";
  const all = Object.entries(pyTorch.settings).map(([name, setting]) => `${name} ${setting}`);
  return `PyTorch ${pyTorch.version} at its best: ${all.join("; ")}.`;
}
