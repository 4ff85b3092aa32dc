/** The inverse with log-determinant in native code, compiled for this machine, against ours. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { benchFile } from "./bench-file.js";
import { inverseProblem, openEliminations } from "./inverse.js";
import { repeatFor } from "./measure.js";

export interface NativeFigures {
  readonly compiler: string;
  /** Gflop per second of CPU time. */
  readonly gigaflops: BySize;
  readonly ourGigaflops: BySize;
  /** Our speed / that of native code. */
  readonly ratio: BySize;
}

interface BySize {
  readonly n64: number;
  readonly n256: number;
}

/** Answer of native_inverse.c. */
export interface NativeAnswer {
  readonly gigaflops: number;
  readonly logDeterminant: number;
  readonly residual: number;
}

/** Measures in turns; without a compiler, tells `say` the reason and returns null. */
export async function measureNative(
  turns: number,
  say: (text: string) => void,
): Promise<NativeFigures | null> {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-native-"));
  try {
    const native = await compileNative(folder);
    if (typeof native === "string") {
      say(`native code gives no figures: ${native}`);
      return null;
    }
    const [n64, n256] = [await contest(native, 64, turns), await contest(native, 256, turns)];
    return {
      compiler: `${native.compiler} ${optimisation.join(" ")}`,
      gigaflops: { n64: n64.native, n256: n256.native },
      ourGigaflops: { n64: n64.ours, n256: n256.ours },
      ratio: { n64: n64.ours / n64.native, n256: n256.ours / n256.native },
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface NativeProgram {
  readonly path: string;
  readonly compiler: string;
}

const optimisation = ["-O3", "-march=native"];

/** Compiles the program into a folder, or returns a sentence with the reason for its failure. */
export async function compileNative(folder: string): Promise<NativeProgram | string> {
  const run = promisify(execFile);
  const compiler = process.env.CC ?? "cc";
  const path = join(folder, "native_inverse");
  try {
    await run(compiler, [...optimisation, "-o", path, benchFile("native_inverse.c"), "-lm"]);
    const { stdout } = await run(compiler, ["--version"]);
    return { path, compiler: stdout.split("\n")[0] };
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    if (code === "ENOENT") return `there is no ${compiler} (the variable CC names another).`;
    return `${compiler} says "${stderr?.trim().split("\n")[0] ?? String(error)}".`;
  }
}

/** Inverts the matrix of the benchmark for some time. */
export async function runNative(
  { path }: NativeProgram,
  n: number,
  milliseconds: number,
): Promise<NativeAnswer> {
  const child = spawn(path, [String(n), String(milliseconds)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(Buffer.from(inverseProblem(n).buffer));
  let output = "";
  for await (const chunk of child.stdout) output += String(chunk);
  const answer = JSON.parse(output) as NativeAnswer;
  if (!(answer.residual < 1e-4)) {
    throw new Error(`native_inverse.c is wrong: |A A⁻¹ − I| is ${answer.residual}`);
  }
  return answer;
}

/** Gflop per second of CPU time in the best turn of both. */
async function contest(
  program: NativeProgram,
  n: number,
  turns: number,
): Promise<{ readonly native: number; readonly ours: number }> {
  const { repetitions, repeat } = await openEliminations("simd", n);
  const invert = (): void => {
    repeat("invert");
  };
  await repeatFor(invert, 300);
  let [native, ours] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    native = Math.max(native, (await runNative(program, n, 300)).gigaflops);
    const start = process.cpuUsage();
    const inverses = repetitions * (await repeatFor(invert, 500));
    const { user, system } = process.cpuUsage(start);
    ours = Math.max(ours, (2e-9 * n ** 3 * inverses) / ((user + system) / 1e6));
  }
  return { native, ours };
}
