import type { FloatArray, GdnShape, KernelName, Kernels, ProductSizes } from "../kernels.js";
import { WasmElementary } from "./elementary.js";
import { WasmGdn } from "./gdn.js";
import { WasmInverse, WasmProducts } from "./matrix.js";

/** The kernels of one compiled module. */
export class WasmKernels implements Kernels {
  /** Several roundings of a pool in Float32, whose logarithm the residual contains. */
  readonly tolerance = 5e-7;
  private readonly elementary: WasmElementary;
  private readonly products: WasmProducts;
  private inverse: { readonly n: number; readonly kernel: WasmInverse } | undefined;

  constructor(
    readonly name: KernelName,
    readonly module: WebAssembly.Module,
  ) {
    this.elementary = new WasmElementary(module);
    this.products = new WasmProducts(module);
  }

  floats(length: number): Float32Array {
    return new Float32Array(length);
  }

  exp(x: FloatArray, out: FloatArray): void {
    this.elementary.apply("expArray", [x], out);
  }

  log(x: FloatArray, out: FloatArray): void {
    this.elementary.apply("logArray", [x], out);
  }

  pow(base: FloatArray, exponent: FloatArray, out: FloatArray): void {
    this.elementary.apply("powArray", [base, exponent], out);
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

  gdn(shape: GdnShape): WasmGdn {
    return new WasmGdn(this.module, shape);
  }

  /** A training run inverts the same H in every step. */
  private inverseFor(n: number): WasmInverse {
    if (this.inverse?.n !== n) this.inverse = { n, kernel: new WasmInverse(this.module, n) };
    return this.inverse.kernel;
  }
}
