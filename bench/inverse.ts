/** (a) Gflop/s of the inverse with log-determinant, and the multiply-add peak of the engine. */
import type { KernelName } from "../src/kernels/kernels.js";
import { loadKernels } from "../src/kernels/load-kernels.js";
import { createRandom } from "../src/random/random-stream.js";
import { WasmKernels } from "../src/kernels/wasm/index.js";
import { KernelInstance } from "../src/kernels/wasm/instance.js";
import { inverseWorkspaceBytes, rowStride } from "../src/kernels/wasm/padding.js";
import { rateOf } from "./measure.js";

export interface InverseFigures {
  readonly dimension: number;
  readonly gigaflops: number;
  readonly logDeterminantGigaflops: number;
  readonly peakGigaflops: number;
  readonly fractionOfPeak: number;
}

/** A matrix like the I − M of a sample, by rows. */
export function inverseProblem(n: number): Float32Array<ArrayBuffer> {
  const random = createRandom(1, "bench-inverse", n);
  return Float32Array.from(
    { length: n * n },
    (_, k) => (k % (n + 1) === 0 ? 1 : 0) - (0.9 * random.uniform()) / n,
  );
}

/** Eliminations of one matrix by one build, many at a time. */
interface Eliminations {
  readonly exports: KernelInstance<string>["exports"];
  /** Repetitions of one call of `repeat`. */
  readonly repetitions: number;
  readonly repeat: (elimination: "invert" | "logDeterminant") => void;
}

export async function openEliminations(name: KernelName, n: number): Promise<Eliminations> {
  const { kernels } = await loadKernels({ kernels: name });
  if (!(kernels instanceof WasmKernels)) throw new Error(`${name} is not a WebAssembly build`);
  const stride = rowStride(n);
  const bytes = 4 * stride * n;
  const memory = new KernelInstance(kernels.module, {
    matrix: bytes,
    original: bytes,
    workspace: inverseWorkspaceBytes(n),
  });
  const original = memory.float32("original", stride * n);
  const matrix = memory.float32("matrix", stride * n);
  const problem = inverseProblem(n);
  for (let i = 0; i < n; i++) original.set(problem.subarray(i * n, (i + 1) * n), i * stride);
  const { exports } = memory;
  const addresses = [memory.address("matrix"), 4 * stride, n, memory.address("workspace")] as const;
  const repetitions = Math.ceil(4e7 / (2 * n ** 3));
  const repeat: Eliminations["repeat"] = (elimination) => {
    for (let k = 0; k < repetitions; k++) {
      matrix.set(original);
      exports[elimination](...addresses);
    }
  };
  return { exports, repetitions, repeat };
}

export async function inverseFigures(
  name: KernelName,
  n: number,
  milliseconds: number,
): Promise<InverseFigures> {
  const { exports, repetitions, repeat } = await openEliminations(name, n);
  const run = (elimination: "invert" | "logDeterminant") => (): void => {
    repeat(elimination);
  };
  const rounds = 300_000;
  let [inverse, logDeterminant, peak] = [0, 0, 0];
  // In turns, so that other load slows all three.
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    inverse = Math.max(inverse, await rateOf(run("invert"), 60));
    logDeterminant = Math.max(logDeterminant, await rateOf(run("logDeterminant"), 30));
    peak = Math.max(
      peak,
      exports.multiplyAddOperations() *
        (await rateOf(() => void exports.multiplyAddPeak(rounds), 30)),
      exports.productSumOperations() *
        (await rateOf(() => void exports.productSumPeak(rounds), 30)),
    );
  }
  const gigaflops = (inverse * repetitions * 2 * n ** 3) / 1e9;
  const peakGigaflops = (peak * rounds) / 1e9;
  return {
    dimension: n,
    gigaflops,
    logDeterminantGigaflops: (logDeterminant * repetitions * (2 / 3) * n ** 3) / 1e9,
    peakGigaflops,
    fractionOfPeak: gigaflops / peakGigaflops,
  };
}
