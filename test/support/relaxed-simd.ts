import v8 from "node:v8";
import { bytesBase64 } from "../../src/kernels/wasm/generated/relaxed-simd.js";

/**
 * Node 20 has relaxed SIMD behind a flag, which must be set before anything is compiled; later ones
 * just have it.
 */
export function enableRelaxedSimd(): boolean {
  const bytes = Buffer.from(bytesBase64, "base64");
  if (WebAssembly.validate(bytes)) return true;
  v8.setFlagsFromString("--experimental-wasm-relaxed-simd");
  return WebAssembly.validate(bytes);
}

/**
 * Where its absence is a failure, not a reason to skip: on CI, and on every Node that is known to
 * have it.
 */
export const relaxedSimdIsRequired =
  Boolean(process.env.CI) ||
  (Number.parseInt(process.versions.node, 10) >= 20 && ["x64", "arm64"].includes(process.arch));
