/** Runs the PyTorch scripts of this folder. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { benchFile } from "./bench-file.js";

/** Returns the JSON object that a script prints, or a sentence with the reason for its failure. */
export async function askScript<Answer extends object>(
  name: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Answer | string> {
  const script = benchFile(name);
  // Debian's torch needs the system's Python, which may not be the first on the path.
  const system = "/usr/bin/python3";
  const python = process.env.PYTHON ?? (existsSync(system) ? system : "python3");
  try {
    const env = { ...process.env, ...environment };
    const options = { env, timeout: 600_000 };
    const { stdout } = await promisify(execFile)(python, [script, ...parameters], options);
    return JSON.parse(stdout) as Answer;
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    if (code === "ENOENT") return `there is no ${python} (the variable PYTHON names another).`;
    const reason = stderr?.trim().split("\n").at(-1) ?? String(error);
    return `${python} says "${reason}" (Debian: python3-torch with libopenblas0).`;
  }
}

/** OpenBLAS kernels to try besides its own choice, since old versions do not know new CPUs. */
export async function coreTypes(): Promise<string[]> {
  if (process.env.OPENBLAS_CORETYPE !== undefined) return [process.env.OPENBLAS_CORETYPE];
  if (process.arch !== "x64") return [""];
  const cpu = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
  if (cpu.includes("avx512f")) return ["", "SkylakeX"];
  return cpu.includes("AuthenticAMD") ? ["", "Zen"] : ["", "Haswell"];
}
