/** Runners in this thread, from the sources. */
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";

export const referenceRunner = new InlineRunner(
  (await loadKernels({ kernels: "reference" })).kernels,
);
export const simdRunner = new InlineRunner((await loadKernels({ kernels: "simd" })).kernels);
