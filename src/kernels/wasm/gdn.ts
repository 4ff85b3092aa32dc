/** GDN passes in WebAssembly: copies parameters and samples in, and results out. */
import { seedOfPart } from "../probes.js";
import { foldTree } from "../reduction-tree.js";
import type {
  FloatArray,
  GdnGradient,
  GdnKernel,
  GdnParameters,
  GdnShape,
  GradientResults,
  InversionResults,
  InversionSettings,
  Probes,
  SampleResults,
} from "../kernels.js";
import { WasmGdnInverse } from "./gdn-inverse.js";
import {
  type GdnBlock,
  type GdnLayout,
  type SumField,
  headerFields,
  layerAddresses,
  layoutOf,
} from "./gdn-memory.js";
import { KernelInstance } from "./instance.js";
import { copyRowsIn, copyRowsOut, paddedCount } from "./padding.js";

const passes = {
  general: { gaussianize: "gaussianizeGeneral", backpropagate: "backpropagateGeneral" },
  column: { gaussianize: "gaussianizeColumn", backpropagate: "backpropagateColumn" },
  diagonal: { gaussianize: "gaussianizeDiagonal", backpropagate: "backpropagateDiagonal" },
  "low-rank": { gaussianize: "gaussianizeLowRank", backpropagate: "backpropagateLowRank" },
  "rank-one": { gaussianize: "gaussianizeRankOne", backpropagate: "backpropagateRankOne" },
} as const;

export class WasmGdn implements GdnKernel {
  private readonly layout: GdnLayout;
  private readonly memory: KernelInstance<GdnBlock>;
  private readonly header: Int32Array;
  private readonly sums: Float32Array;
  private readonly inverse: WasmGdnInverse;
  private readonly pass: (typeof passes)[keyof typeof passes];
  private isReadyForProbes = false;

  constructor(
    module: WebAssembly.Module,
    private readonly shape: GdnShape,
  ) {
    this.layout = layoutOf(shape);
    this.pass = passes[this.layout.factors === 1 ? "rank-one" : shape.form];
    this.memory = new KernelInstance(module, this.layout.blocks);
    this.header = this.memory.int32("layer", headerFields.length + layerAddresses.length);
    this.inverse = new WasmGdnInverse(this.memory, this.layout, shape);
    this.sums = this.memory.float32("sums", this.layout.blocks.sums / 4);
    const { n, paddedN, stride, rank, rankStride, pairStride } = this.layout;
    const fixedAlpha = shape.fixedAlpha ? 1 : 0;
    this.setSizes({ n: paddedN, stride: 4 * stride, components: n, fixedAlpha });
    this.setSizes({ rank, rankStride: 4 * rankStride, pairStride: 4 * pairStride });
    this.setAddresses();
  }

  load({ H, alpha, beta, gamma, epsilon }: GdnParameters): void {
    const { form } = this.shape;
    this.inverse.coarseCopyIsLost();
    this.isReadyForProbes = false;
    this.loadVector("beta", beta, 1);
    this.loadVector("epsilon", epsilon, 0);
    if (form === "general") this.loadMatrix("alpha", "alphaTransposed", alpha, 1);
    else this.loadVector("alpha", alpha, 1);
    if (form === "diagonal") this.loadVector("gamma", gamma, 0);
    else if (form === "low-rank") this.loadLowRank(gamma);
    else this.loadMatrix("gamma", "gammaTransposed", gamma, 0);
    if (form === "column") {
      this.loadVector("diagonal", diagonalOf(gamma, this.layout.n), 0);
      this.packTransposed("poolStrips", "gamma");
      this.packTransposed("pullStrips", "gammaTransposed");
    }
    if (H) this.loadLinear(H);
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    this.runLeaves(this.pass.gaussianize, x, count, results);
  }

  approximate(x: FloatArray, count: number, results: SampleResults): void {
    const isColumn = this.shape.form === "column";
    this.runLeaves(isColumn ? "approximateColumn" : this.pass.gaussianize, x, count, results);
  }

  private runLeaves(
    pass: (typeof passes)[keyof typeof passes]["gaussianize"] | "approximateColumn",
    x: FloatArray,
    count: number,
    results: SampleResults,
  ): void {
    const { leafSize } = this.shape;
    for (let first = 0; first < count; first += leafSize) {
      const samples = Math.min(leafSize, count - first);
      this.copySamplesIn("x", x, first, samples);
      this.memory.exports[pass](this.memory.address("layer"));
      this.copyResultsOut(results, first, samples);
    }
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: GradientResults,
    probes?: Probes,
  ): void {
    const { leafSize, linear } = this.shape;
    const { sumFloats, sumOffsets } = this.layout;
    const { exports } = this.memory;
    this.setAddress("upstream", this.memory.address(upstream ? "upstream" : "y"));
    this.setSizes({ wantsSums: results.sums ? 1 : 0 });
    const wantsInput = results.xGradient && linear;
    this.setAddress("xGradient", wantsInput ? this.memory.address("xGradient") : 0);
    const layer = this.memory.address("layer");
    if (probes) this.prepareProbes();
    const gradientBlock = linear ? "xGradient" : "zGradient";
    const leaf = (level: number, index: number): void => {
      const first = index * leafSize;
      const samples = Math.min(leafSize, count - first);
      this.copySamplesIn("x", x, first, samples);
      if (upstream) this.copySamplesIn("upstream", upstream, first, samples);
      // Kernels overwrite the sum of H, and passes with probes that of γ (gdn-memory.ts).
      const start = level * sumFloats + sumOffsets[probes ? "alphaSum" : "gammaSum"];
      this.sums.fill(0, start, (level + 1) * sumFloats);
      this.pointSumsAt(level);
      if (probes) {
        const seed = seedOfPart(probes.seed, probes.firstLeaf + index);
        exports.backpropagateProbes(layer, seed, probes.tolerance);
        probes.products.set(this.memory.int32("iterations", samples), first);
        probes.residual.set(this.memory.float64("residual", samples), first);
      } else exports[this.pass.backpropagate](layer);
      this.copyResultsOut(results, first, samples);
      if (results.xGradient) this.copySamplesOut(gradientBlock, results.xGradient, first, samples);
    };
    // Each leaf clears its own level; without leaves the sums must be 0, too.
    if (count === 0) this.sums.fill(0, 0, sumFloats);
    const sums = this.memory.address("sums");
    foldTree(Math.ceil(count / leafSize), leaf, (target) => {
      const address = sums + 4 * sumFloats * target;
      exports.add(address, address + 4 * sumFloats, sumFloats);
    });
    if (results.sums) this.copySumsOut(results.sums);
  }

  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: InversionResults,
  ): void {
    const { leafSize } = this.shape;
    for (let first = 0; first < count; first += leafSize) {
      const samples = Math.min(leafSize, count - first);
      this.copySamplesIn("y", y, first, samples);
      this.inverse.invertLeaf(settings, results, first, samples);
    }
  }

  private prepareProbes(): void {
    if (this.isReadyForProbes) return;
    this.memory.exports.prepareProbes(this.memory.address("layer"));
    this.isReadyForProbes = true;
    this.inverse.coarseCopyIsLost();
  }

  private setAddresses(): void {
    for (const field of layerAddresses) {
      if (field.endsWith("Sum")) continue;
      const block = field as GdnBlock;
      const empty = this.layout.blocks[block] === 0;
      this.setAddress(field, empty ? 0 : this.memory.address(block));
    }
    // Without H, z is x.
    if (!this.shape.linear) this.setAddress("z", this.memory.address("x"));
    this.pointSumsAt(0);
  }

  private setSizes(sizes: Partial<Record<(typeof headerFields)[number], number>>): void {
    headerFields.forEach((field, k) => (this.header[k] = sizes[field] ?? this.header[k]));
  }

  private setAddress(field: (typeof layerAddresses)[number], address: number): void {
    this.header[headerFields.length + layerAddresses.indexOf(field)] = address;
  }

  private pointSumsAt(level: number): void {
    const start = this.memory.address("sums") + 4 * this.layout.sumFloats * level;
    for (const field of Object.keys(this.layout.sumOffsets) as SumField[]) {
      this.setAddress(field, start + 4 * this.layout.sumOffsets[field]);
    }
  }

  private loadVector(block: GdnBlock, values: FloatArray, padding: number): void {
    const target = this.memory.float32(block, this.layout.stride);
    target.set(values);
    target.fill(padding, this.layout.n);
  }

  private loadMatrix(
    block: GdnBlock,
    transposed: GdnBlock,
    values: FloatArray,
    padding: number,
  ): void {
    const { n, paddedN, stride } = this.layout;
    const target = this.memory.float32(block, stride * paddedN);
    if (paddedN > n) target.fill(padding);
    copyRowsIn(target, stride, values, n, n);
    this.transpose(transposed, this.memory.address(block));
  }

  private transpose(target: GdnBlock, source: number): void {
    const { paddedN } = this.layout;
    const stride = 4 * this.layout.stride;
    const address = this.memory.address(target);
    this.memory.exports.transpose(address, stride, source, stride, paddedN, paddedN);
  }

  private loadLinear(H: FloatArray): void {
    const { n, paddedN, stride } = this.layout;
    copyRowsIn(this.memory.float32("linear", stride * paddedN), stride, H, n, n);
    this.packTransposed("linearStrips", "linear");
  }

  /** Writes the transpose of a matrix in strips. */
  private packTransposed(strips: GdnBlock, source: GdnBlock): void {
    const { memory } = this;
    const { paddedN, stride } = this.layout;
    const [target, matrix] = [memory.address(strips), memory.address(source)];
    memory.exports.packTransposed(target, matrix, 4 * stride, paddedN, paddedN);
  }

  /** Loads g, U and V; the rows that pad the rank stay 0. */
  private loadLowRank(gamma: FloatArray): void {
    const { n, stride, rank: padded } = this.layout;
    const { rank = 0 } = this.shape;
    this.loadVector("gamma", gamma.subarray(0, n), 0);
    const factors = (block: GdnBlock, first: number): void => {
      const rows = gamma.subarray(first * n, (first + rank) * n);
      copyRowsIn(this.memory.float32(block, stride * padded), stride, rows, rank, n);
    };
    factors("leftRows", 1);
    factors("rightRows", 1 + rank);
    this.memory.exports.prepareLowRank(this.memory.address("layer"));
  }

  /** Copies the rows of a leaf, padded with zeros to a multiple of four rows. */
  private copySamplesIn(
    block: "x" | "y" | "upstream",
    source: FloatArray,
    first: number,
    samples: number,
  ): void {
    const { n, stride } = this.layout;
    const padded = paddedCount(samples);
    const target = this.memory.float32(block, stride * padded);
    copyRowsIn(target, stride, source.subarray(first * n, (first + samples) * n), samples, n);
    target.fill(0, samples * stride);
    this.setSizes({ count: samples, paddedCount: padded });
  }

  private copyResultsOut(results: SampleResults, first: number, samples: number): void {
    results.logDeterminant.set(this.memory.float64("logDeterminant", samples), first);
    results.energy.set(this.memory.float64("energy", samples), first);
    results.failedPivot.set(this.memory.int32("failedPivot", samples), first);
    if (results.y) this.copySamplesOut("y", results.y, first, samples);
  }

  private copySamplesOut(
    block: "y" | "xGradient" | "zGradient",
    target: FloatArray,
    first: number,
    samples: number,
  ): void {
    const { n, stride } = this.layout;
    const rows = this.memory.float32(block, stride * samples);
    copyRowsOut(target.subarray(first * n), rows, stride, samples, n);
  }

  private copySumsOut(sums: GdnGradient): void {
    const { n } = this.layout;
    const { form } = this.shape;
    const part = (field: SumField): Float32Array =>
      this.sums.subarray(this.layout.sumOffsets[field]);
    sums.beta.set(part("betaSum").subarray(0, n));
    sums.epsilon.set(part("epsilonSum").subarray(0, n));
    if (sums.H) copyRowsOut(sums.H, part("linearSum"), this.layout.stride, n, n);
    if (form === "general") this.copyTransposedOut(sums.alpha, "alphaSum");
    else sums.alpha.set(part("alphaSum").subarray(0, n));
    if (form === "diagonal") sums.gamma.set(part("gammaSum").subarray(0, n));
    else if (form === "low-rank") this.copyFactorsOut(sums.gamma, part("gammaSum"));
    else this.copyTransposedOut(sums.gamma, "gammaSum");
  }

  /** Copies the sums of g, U and V without the rows that pad the rank. */
  private copyFactorsOut(target: FloatArray, source: Float32Array): void {
    const { n, stride, rank: padded } = this.layout;
    const { rank = 0 } = this.shape;
    copyRowsOut(target, source, stride, 1 + rank, n);
    const rightRows = source.subarray(stride * (1 + padded));
    copyRowsOut(target.subarray((1 + rank) * n), rightRows, stride, rank, n);
  }

  /** Copies the sum of a matrix α or γ, which the kernel keeps transposed. */
  private copyTransposedOut(target: FloatArray, field: SumField): void {
    const { n, paddedN, stride, sumOffsets } = this.layout;
    this.transpose("matrix", this.memory.address("sums") + 4 * sumOffsets[field]);
    copyRowsOut(target, this.memory.float32("matrix", stride * paddedN), stride, n, n);
  }
}

function diagonalOf(matrix: FloatArray, n: number): FloatArray {
  return Float32Array.from({ length: n }, (_, i) => matrix[i * (n + 1)]);
}
