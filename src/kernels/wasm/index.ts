import type {
  FloatArray,
  GdnShape,
  KernelName,
  Kernels,
  NetworkShape,
  ProductSizes,
} from "../kernels.js";
import type {
  GradientSums,
  GuidedFitShape,
  GuidedShape,
  PixelArray,
  SimilarRegion,
  SimilarSettings,
  SimilarSums,
} from "../patch-kernels.js";
import { WasmGdn } from "./gdn.js";
import { WasmGuidedFit } from "./guided-fit.js";
import { WasmGradients } from "./gradients.js";
import { WasmGuided } from "./guided.js";
import { KernelInstance } from "./instance.js";
import { WasmInverse, WasmProducts } from "./matrix.js";
import { NetworkMemories } from "./network-memory.js";
import { WasmNetwork } from "./network.js";
import { WasmPatches } from "./patches.js";
import { WasmSimilar } from "./similar.js";

/** Values that exp, log and pow process at once. */
const blockLength = 4096;

/** Kernels of one compiled module. */
export class WasmKernels implements Kernels {
  /** The residual contains the logarithm of a pool, which Float32 rounds several times. */
  readonly tolerance = 5e-7;
  private readonly elementary: KernelInstance<"first" | "second" | "out">;
  private readonly products: WasmProducts;
  private readonly networks: NetworkMemories;
  private readonly similar: WasmSimilar;
  private readonly gradients: WasmGradients;
  private inverse: { readonly n: number; readonly kernel: WasmInverse } | undefined;

  constructor(
    readonly name: KernelName,
    readonly module: WebAssembly.Module,
  ) {
    const bytes = 4 * blockLength;
    this.elementary = new KernelInstance(module, { first: bytes, second: bytes, out: bytes });
    this.products = new WasmProducts(module);
    this.networks = new NetworkMemories(module);
    this.similar = new WasmSimilar(module);
    this.gradients = new WasmGradients(module);
  }

  floats(length: number): Float32Array {
    return new Float32Array(length);
  }

  exp(x: FloatArray, out: FloatArray): void {
    this.applyInBlocks("expArray", [x], out);
  }

  log(x: FloatArray, out: FloatArray): void {
    this.applyInBlocks("logArray", [x], out);
  }

  pow(base: FloatArray, exponent: FloatArray, out: FloatArray): void {
    this.applyInBlocks("powArray", [base, exponent], out);
  }

  multiply(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void {
    this.products.multiply(a, b, out, sizes);
  }

  accumulateProduct(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void {
    this.products.accumulate(a, b, out, sizes);
  }

  invertIdentityMinus(
    m: FloatArray,
    n: number,
    count: number,
    inverse: FloatArray,
    logDeterminant: Float64Array,
    failedPivot: Int32Array,
  ): void {
    const kernel = this.inverseFor(n);
    for (let s = 0; s < count; s++) {
      const [from, to] = [s * n * n, (s + 1) * n * n];
      const result = kernel.invertIdentityMinus(m.subarray(from, to), inverse.subarray(from, to));
      logDeterminant[s] = result.logDeterminant;
      failedPivot[s] = result.failedPivot;
    }
  }

  invert(matrix: FloatArray, n: number, inverse: FloatArray): number {
    return this.inverseFor(n).invert(matrix, inverse.subarray(0, n * n));
  }

  estimateSimilar(region: SimilarRegion, settings: SimilarSettings, sums: SimilarSums): void {
    this.similar.estimate(region, settings, sums);
  }

  guidedFit(shape: GuidedFitShape): WasmGuidedFit {
    return new WasmGuidedFit(this.module, shape);
  }

  sumGradients(image: PixelArray, weights: FloatArray, out: GradientSums): void {
    this.gradients.sum(image, weights, out);
  }

  guided(shape: GuidedShape): WasmGuided {
    return new WasmGuided(this.module, shape);
  }

  patches(size: number): WasmPatches {
    return new WasmPatches(this.module, size);
  }

  gdn(shape: GdnShape): WasmGdn {
    return new WasmGdn(this.module, shape);
  }

  network(shape: NetworkShape): WasmNetwork {
    return new WasmNetwork(this.networks, shape);
  }

  private applyInBlocks(
    operation: "expArray" | "logArray" | "powArray",
    inputs: readonly FloatArray[],
    out: FloatArray,
  ): void {
    const memory = this.elementary;
    const [first, second, target] = [
      memory.address("first"),
      memory.address("second"),
      memory.address("out"),
    ];
    const views = [memory.float32("first", blockLength), memory.float32("second", blockLength)];
    const result = memory.float32("out", blockLength);
    for (let start = 0; start < out.length; start += blockLength) {
      const count = Math.min(blockLength, out.length - start);
      inputs.forEach((input, k) => {
        views[k].set(input.subarray(start, start + count));
      });
      if (operation === "powArray") memory.exports.powArray(first, second, target, count);
      else memory.exports[operation](first, target, count);
      out.set(result.subarray(0, count), start);
    }
  }

  /** Keeps the last one, because a training run inverts the same H in every step. */
  private inverseFor(n: number): WasmInverse {
    if (this.inverse?.n !== n) this.inverse = { n, kernel: new WasmInverse(this.module, n) };
    return this.inverse.kernel;
  }
}
