import { loadKernels } from "../../../src/kernels/load-kernels.js";
import { describeKernelsContract } from "../../contracts/kernels-contract.js";
import { float32Epsilon } from "../../support/expect-close.js";

describeKernelsContract("simd", async () => (await loadKernels({ kernels: "simd" })).kernels, {
  epsilon: float32Epsilon,
});
