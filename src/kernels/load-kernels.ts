import { GaussianizeError, expected } from "../errors.js";
import type { KernelName, Kernels } from "./kernels.js";
import { referenceKernels } from "./reference/index.js";
import { WasmKernels } from "./wasm/index.js";

export interface LoadedKernels {
  readonly kernels: Kernels;
  /** Sentence that tells the user why these kernels run. */
  readonly reason: string;
}

export interface KernelOptions {
  /**
   * `simd` (default) gives the same bits on every machine; `relaxed-simd` is faster, but its bits
   * may differ between machines; `reference` is the slow Float64 specification.
   */
  readonly kernels?: KernelName;
}

const names: readonly KernelName[] = ["reference", "simd", "relaxed-simd"];

/**
 * Loads the kernels, and reports why these were chosen.
 *
 * @example
 * ```js
 * import { loadKernels } from "gaussianize";
 *
 * const { kernels, reason } = await loadKernels();
 * console.log(kernels.name, reason); // simd Plain SIMD runs, by default.
 * ```
 */
export async function loadKernels(options: KernelOptions = {}): Promise<LoadedKernels> {
  const name = options.kernels ?? "simd";
  if (!names.includes(name)) throw expected("kernels", `be one of ${names.join(", ")}`, name);
  const asked = options.kernels === undefined ? "by default" : "as asked for";
  if (name === "reference") {
    return { kernels: referenceKernels, reason: `The Float64 specification runs, ${asked}.` };
  }
  const bytes = await kernelBytes(name);
  if (!WebAssembly.validate(bytes)) {
    throw new GaussianizeError(
      "unavailable",
      name === "simd"
        ? 'This JavaScript engine does not support WebAssembly SIMD. Use the kernels "reference".'
        : 'This JavaScript engine does not support relaxed SIMD. Use the kernels "simd" or a newer engine (Node 22, Chrome 114); on Node 20, call enableRelaxedSimd() of gaussianize/node first.',
    );
  }
  const module = await WebAssembly.compile(bytes);
  const what =
    name === "simd" ? "Plain SIMD runs" : "Relaxed SIMD runs (bits may differ between machines)";
  return { kernels: new WasmKernels(name, module), reason: `${what}, ${asked}.` };
}

/** Returns the compiled module; the relaxed build is imported only on request. */
export async function kernelBytes(name: "simd" | "relaxed-simd"): Promise<Uint8Array<ArrayBuffer>> {
  const { bytesBase64 } =
    name === "simd"
      ? await import("./wasm/generated/simd.js")
      : await import("./wasm/generated/relaxed-simd.js");
  return Uint8Array.from(atob(bytesBase64), (character) => character.charCodeAt(0));
}
