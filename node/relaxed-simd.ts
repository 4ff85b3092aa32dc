import { setFlagsFromString } from "node:v8";

/**
 * Node 20 has relaxed SIMD behind a flag, which must be set before the kernels are compiled; it
 * then holds for worker threads too. Newer versions have it anyway.
 *
 * @example
 * ```js
 * import { enableRelaxedSimd } from "gaussianize/node";
 *
 * enableRelaxedSimd(); // before anything computes
 * console.log("ready");
 * ```
 */
export function enableRelaxedSimd(): void {
  if (Number(process.versions.node.split(".")[0]) < 22) {
    setFlagsFromString("--experimental-wasm-relaxed-simd");
  }
}
