/** Time until the kernels are ready in a new process, and their size. */
import { execFileSync } from "node:child_process";
import { byteLength as relaxedBytes } from "../src/kernels/wasm/generated/relaxed-simd.js";
import { byteLength as simdBytes, compiler } from "../src/kernels/wasm/generated/simd.js";
import { medianOf } from "../src/numbers/order-statistics.js";

export interface StartupFigures {
  readonly kernelBytes: { readonly simd: number; readonly relaxedSimd: number };
  readonly compiler: string;
  /** Time of import, decoding and compilation, without the start of Node. */
  readonly kernelsReadyInMilliseconds: number;
}

export function measureStartup(): StartupFigures {
  const module = new URL("../src/kernels/load-kernels.js", import.meta.url).href;
  const program = `const start = performance.now();
    const { loadKernels } = await import(${JSON.stringify(module)});
    const { kernels } = await loadKernels();
    kernels.gdn({ form: "column", dimension: 64, linear: true, leafSize: 16, maximumLeaves: 1 });
    console.log(performance.now() - start);`;
  const once = (): number =>
    Number(
      execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }),
    );
  return {
    kernelBytes: { simd: simdBytes, relaxedSimd: relaxedBytes },
    compiler,
    kernelsReadyInMilliseconds: medianOf([once(), once(), once(), once(), once()]),
  };
}
