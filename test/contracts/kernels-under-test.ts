/** The kernels that the parts of their contract are given, and the sizes to try. */
import type { KernelName, Kernels } from "../../src/kernels/kernels.js";

export interface KernelTolerances {
  /** Machine epsilon of the arithmetic: every bound is a multiple of it. */
  readonly epsilon: number;
}

/** What the parts of the contract are given; the kernels are there once the tests run. */
export interface KernelsUnderTest extends KernelTolerances {
  readonly name: KernelName;
  readonly kernels: () => Kernels;
}

/** Every size of tile, block and padding, with one more and one less. */
export const testSizes = [1, 2, 3, 7, 8, 16, 17, 24, 32, 63, 64, 100, 256] as const;
