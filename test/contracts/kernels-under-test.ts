/** Kernels under test, and the sizes to try. */
import type { KernelName, Kernels } from "../../src/kernels/kernels.js";

export interface KernelTolerances {
  /** Machine epsilon; every bound is a multiple of it. */
  readonly epsilon: number;
}

/** Arguments of the parts of the contract; the kernels are available when the tests run. */
export interface KernelsUnderTest extends KernelTolerances {
  readonly name: KernelName;
  readonly kernels: () => Kernels;
}

/** Every size of tile, block and padding, plus and minus one. */
export const testSizes = [1, 2, 3, 7, 8, 16, 17, 24, 32, 63, 64, 100, 256] as const;
