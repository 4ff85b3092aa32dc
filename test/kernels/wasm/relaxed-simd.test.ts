import { describe, expect, test } from "vitest";
import { loadKernels } from "../../../src/kernels/load-kernels.js";
import { describeKernelsContract } from "../../contracts/kernels-contract.js";
import { float32Epsilon } from "../../support/expect-close.js";
import { enableRelaxedSimd, relaxedSimdIsRequired } from "../../support/relaxed-simd.js";

const available = enableRelaxedSimd();

if (available) {
  const load = async () => (await loadKernels({ kernels: "relaxed-simd" })).kernels;
  describeKernelsContract("relaxed-simd", load, { epsilon: float32Epsilon });
} else if (relaxedSimdIsRequired) {
  test("this engine supports relaxed SIMD, which is required here", () => {
    expect(available).toBe(true);
  });
} else {
  console.warn("relaxed-simd kernels: SKIPPED, this engine does not support relaxed SIMD.");
  describe.skip("relaxed-simd kernels (SKIPPED: this engine does not support relaxed SIMD)", () => {
    test("the contract of the kernels holds", () => undefined);
  });
}
