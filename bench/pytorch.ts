/**
 * (c) The same step in PyTorch, at its best: every combination of threads and OpenBLAS kernels that
 * may suit.
 */
import type { Problem } from "./problem.js";
import { askScript, coreTypes } from "./python.js";

export interface PyTorchFigures {
  readonly version: string;
  /** By problem, with the setting that gave it. */
  readonly samplesPerSecond: Readonly<Record<string, number>>;
  readonly settings: Readonly<Record<string, string>>;
}

interface Answer {
  readonly torch: string;
  readonly samplesPerSecond: Record<string, number>;
}

/** The best of every setting; null where Python or torch is missing, and `say` is told why. */
export async function measurePyTorch(
  problems: readonly Problem[],
  seconds: number,
  say: (text: string) => void,
): Promise<PyTorchFigures | null> {
  const names = problems.map((p) => `${p.name}:${p.structure}:${p.dimension}:${p.batch}`);
  let figures: PyTorchFigures | null = null;
  for (const coreType of await coreTypes()) {
    for (const threads of ["1", "2"]) {
      const setting = `${threads} thread${threads === "1" ? "" : "s"}, OpenBLAS ${coreType || "default"}`;
      say(`PyTorch: ${setting}`);
      const environment = coreType ? { OPENBLAS_CORETYPE: coreType } : {};
      const parameters = [threads, String(seconds), ...names];
      const answer = await askScript<Answer>("pytorch_step.py", parameters, environment);
      if (typeof answer === "string") say(`PyTorch gives no figures: ${answer}`);
      else {
        const settings = Object.fromEntries(problems.map(({ name }) => [name, setting]));
        const { torch: version, samplesPerSecond } = answer;
        figures = betterOf(figures, { version, samplesPerSecond, settings });
      }
      // What is missing now will be missing with every setting.
      if (typeof answer === "string" && figures === null) return null;
    }
  }
  return figures;
}

/** Problem by problem the higher rate, with the setting that gave it. */
export function betterOf(
  first: PyTorchFigures | null,
  second: PyTorchFigures | null,
): PyTorchFigures | null {
  if (!first || !second) return first ?? second;
  const samplesPerSecond: Record<string, number> = { ...first.samplesPerSecond };
  const settings: Record<string, string> = { ...first.settings };
  for (const [name, rate] of Object.entries(second.samplesPerSecond)) {
    if (rate <= samplesPerSecond[name]) continue;
    samplesPerSecond[name] = rate;
    settings[name] = second.settings[name];
  }
  return { version: first.version, samplesPerSecond, settings };
}
