import v8 from "node:v8";
import { bytesBase64 } from "../../src/kernels/wasm/generated/relaxed-simd.js";

/** Enables relaxed SIMD in Node 20, where it needs a flag before anything is compiled. */
export function enableRelaxedSimd(): boolean {
  const bytes = Buffer.from(bytesBase64, "base64");
  if (WebAssembly.validate(bytes)) return true;
  v8.setFlagsFromString("--experimental-wasm-relaxed-simd");
  return WebAssembly.validate(bytes);
}

/** Whether missing relaxed SIMD fails the tests: on CI, and on every Node that supports it. */
export const relaxedSimdIsRequired =
  Boolean(process.env.CI) ||
  (Number.parseInt(process.versions.node, 10) >= 20 && ["x64", "arm64"].includes(process.arch));
