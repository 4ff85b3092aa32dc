/** (c) The same step in PyTorch at its best, over threads and OpenBLAS kernels. */
import type { Problem } from "./problem.js";
import { askScript, coreTypes } from "./python.js";

export interface PyTorchFigures {
  readonly version: string;
  /** Best rates by problem. */
  readonly samplesPerSecond: Readonly<Record<string, number>>;
  /** Best rates by problem in CPU time of all threads, with any setting. */
  readonly samplesPerCpuSecond: Readonly<Record<string, number>>;
  /** Best settings by problem. */
  readonly settings: Readonly<Record<string, string>>;
}

interface Answer {
  readonly torch: string;
  readonly samplesPerSecond: Record<string, number>;
  readonly samplesPerCpuSecond: Record<string, number>;
}

/** Measures all settings; without Python or torch, tells `say` the reason and returns null. */
export async function measurePyTorch(
  problems: readonly Problem[],
  seconds: number,
  say: (text: string) => void,
): Promise<PyTorchFigures | null> {
  const names = problems.map((p) => `${p.name}:${p.structure}:${p.dimension}:${p.batch}`);
  let figures: PyTorchFigures | null = null;
  for (const coreType of await coreTypes()) {
    for (const threads of ["1", "2"]) {
      const kernels = `OpenBLAS ${coreType || "default"}`;
      const setting = `${threads} thread${threads === "1" ? "" : "s"}, ${kernels}`;
      say(`PyTorch: ${setting}`);
      const environment = coreType ? { OPENBLAS_CORETYPE: coreType } : {};
      const parameters = [threads, String(seconds), ...names];
      const answer = await askScript<Answer>("pytorch_step.py", parameters, environment);
      if (typeof answer === "string") say(`PyTorch gives no figures: ${answer}`);
      else {
        const settings = Object.fromEntries(problems.map(({ name }) => [name, setting]));
        const { torch: version, ...rates } = answer;
        figures = betterOf(figures, { version, ...rates, settings });
      }
      // Without Python or torch, no setting will work.
      if (typeof answer === "string" && figures === null) return null;
    }
  }
  return figures;
}

/** The higher rate of each problem, with its setting. */
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
  const samplesPerCpuSecond: Record<string, number> = { ...first.samplesPerCpuSecond };
  for (const [name, rate] of Object.entries(second.samplesPerCpuSecond)) {
    samplesPerCpuSecond[name] = Math.max(samplesPerCpuSecond[name], rate);
  }
  return { version: first.version, samplesPerSecond, samplesPerCpuSecond, settings };
}
