/** The one place that decides which kernels run, and says why. */
import { GaussianizeError, expected } from "../errors.js";
import type { KernelName, Kernels } from "./kernels.js";
import { referenceKernels } from "./reference/index.js";
import { WasmKernels } from "./wasm/index.js";

export interface LoadedKernels {
  readonly kernels: Kernels;
  /** Why these, in a sentence for people. */
  readonly reason: string;
}

export interface KernelOptions {
  /**
   * `simd` (default) gives the same bits everywhere; `relaxed-simd` is faster where the engine has
   * it, and gives that up; `reference` is the Float64 specification, slow.
   */
  readonly kernels?: KernelName;
}

const names: readonly KernelName[] = ["reference", "simd", "relaxed-simd"];

/**
 * Loads the kernels that compute, and says why these.
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
        ? 'This JavaScript engine has no WebAssembly SIMD; the kernels "reference" run without it.'
        : "This JavaScript engine has no relaxed SIMD; leave it out, or use a newer engine (Node 22, Chrome 114), or on Node 20 call enableRelaxedSimd() of gaussianize/node first.",
    );
  }
  const module = await WebAssembly.compile(bytes);
  const what =
    name === "simd" ? "Plain SIMD runs" : "Relaxed SIMD runs (bits may differ between machines)";
  return { kernels: new WasmKernels(name, module), reason: `${what}, ${asked}.` };
}

/** The relaxed build is loaded only where it is asked for. */
export async function kernelBytes(name: "simd" | "relaxed-simd"): Promise<Uint8Array<ArrayBuffer>> {
  const { bytesBase64 } =
    name === "simd"
      ? await import("./wasm/generated/simd.js")
      : await import("./wasm/generated/relaxed-simd.js");
  return Uint8Array.from(atob(bytesBase64), (character) => character.charCodeAt(0));
}
