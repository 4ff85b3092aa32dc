/** (c) The same step in PyTorch, at its best: every combination of threads and OpenBLAS kernels that may suit. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Problem } from "./problem.js";

// The script is not compiled: it stays in bench/, seen from dist/bench/.
const script = fileURLToPath(new URL("../../bench/pytorch_step.py", import.meta.url));

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
  // Debian's torch belongs to the system's Python, which need not be the first on the path.
  const system = "/usr/bin/python3";
  const python = process.env.PYTHON ?? (existsSync(system) ? system : "python3");
  const names = problems.map((p) => `${p.name}:${p.structure}:${p.dimension}:${p.batch}`);
  let figures: PyTorchFigures | null = null;
  for (const coreType of await coreTypes()) {
    for (const threads of ["1", "2"]) {
      const setting = `${threads} thread${threads === "1" ? "" : "s"}, OpenBLAS ${coreType || "default"}`;
      say(`PyTorch: ${setting}`);
      const environment = coreType ? { OPENBLAS_CORETYPE: coreType } : {};
      const answer = await ask(python, [script, threads, String(seconds), ...names], environment);
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

/** Old OpenBLAS versions do not know new CPUs: also name the kernels that may fit, unless the user has. */
async function coreTypes(): Promise<string[]> {
  if (process.env.OPENBLAS_CORETYPE !== undefined) return [process.env.OPENBLAS_CORETYPE];
  if (process.arch !== "x64") return [""];
  const cpu = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
  if (cpu.includes("avx512f")) return ["", "SkylakeX"];
  return cpu.includes("AuthenticAMD") ? ["", "Zen"] : ["", "Haswell"];
}

/** The answer, or a sentence that says why there is none. */
async function ask(
  python: string,
  parameters: string[],
  environment: Record<string, string>,
): Promise<Answer | string> {
  try {
    const env = { ...process.env, ...environment };
    const { stdout } = await promisify(execFile)(python, parameters, { env, timeout: 600_000 });
    return JSON.parse(stdout) as Answer;
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    if (code === "ENOENT") return `there is no ${python} (the variable PYTHON names another).`;
    const reason = stderr?.trim().split("\n").at(-1) ?? String(error);
    return `${python} says "${reason}" (Debian: python3-torch with libopenblas0).`;
  }
}
