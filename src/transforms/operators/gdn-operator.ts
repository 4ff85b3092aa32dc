/** GDN stages: spreads tied parameters over the entries of the kernels, and collects gradients. */
import { expected } from "../../errors.js";
import type {
  FloatArray,
  GdnGradient,
  GdnKernel,
  GdnShape,
  InversionSettings,
  Kernels,
  Probes,
  SampleResults,
} from "../../kernels/kernels.js";
import { gdnLengths } from "../../kernels/kernels.js";
import { square } from "../../numbers/square.js";
import { checkDimension, checkFields } from "../checks.js";
import {
  type GdnStructure,
  collectOnFree,
  formOf,
  freeGroups,
  freeLengths,
  spreadOverEntries,
  tiedGroups,
} from "../gdn-structures.js";
import { type Gdn, checkRank, checkStructure, gdn, shapeOf } from "../gdn.js";
import { LinearOperator, commonOfLinear, subtractTransposed } from "../linear.js";
import {
  type DimensionDescription,
  type LeafShape,
  type ParameterGroups,
  type SampleStageKind,
  type StageGradientResults,
  type StageInversionResults,
  type StageOperator,
} from "../stage-kind.js";
import { GdnRescue, rowOf } from "./gdn-rescue.js";

class GdnOperator implements StageOperator<Gdn> {
  private readonly shape: GdnShape;
  private readonly kernel: GdnKernel;
  private layer: Gdn;
  /** H⁻¹, computed on first use. */
  private unmixing: LinearOperator | undefined;
  private rescue: GdnRescue;

  constructor(
    private readonly kernels: Kernels,
    layer: Gdn,
    leaves: LeafShape,
  ) {
    const { dimension, H } = layer;
    this.layer = layer;
    const fixedAlpha = hasFixedAlpha(layer);
    this.shape = { ...formOf(layer), dimension, linear: H !== null, fixedAlpha, ...leaves };
    this.kernel = kernels.gdn(this.shape);
    this.rescue = new GdnRescue(kernels, this.shape, layer);
  }

  fits(stage: Gdn, { leafSize, maximumLeaves }: LeafShape): boolean {
    const { shape } = this;
    const { form, rank } = formOf(stage);
    return (
      form === shape.form &&
      rank === shape.rank &&
      stage.dimension === shape.dimension &&
      (stage.H !== null) === shape.linear &&
      hasFixedAlpha(stage) === shape.fixedAlpha &&
      leafSize === shape.leafSize &&
      maximumLeaves <= shape.maximumLeaves
    );
  }

  load(stage: Gdn): void {
    this.kernel.load(spreadOverEntries(stage));
    this.layer = stage;
    this.unmixing = undefined;
    this.rescue = new GdnRescue(this.kernels, this.shape, stage);
  }

  gaussianize(x: FloatArray, count: number, results: SampleResults): void {
    const n = this.shape.dimension;
    this.kernel.gaussianize(x, count, results);
    this.rescue.retry(count, results, (kernel, own, s) => {
      kernel.gaussianize(rowOf(x, s, n), 1, own);
    });
  }

  approximate(x: FloatArray, count: number, results: SampleResults): void {
    const n = this.shape.dimension;
    this.kernel.approximate(x, count, results);
    this.rescue.retry(count, results, (kernel, own, s) => {
      kernel.approximate(rowOf(x, s, n), 1, own);
    });
  }

  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
    probes?: Probes,
  ): void {
    const { sums } = results;
    const ofKernel = sums && ({ H: null, ...sums } as unknown as GdnGradient);
    const estimated = this.shape.form === "column" ? probes : undefined;
    this.kernel.backpropagate(x, upstream, count, { ...results, sums: ofKernel }, estimated);
    // A fit rejects a step with failed samples instead.
    if (sums) return;
    const n = this.shape.dimension;
    const { xGradient } = results;
    this.rescue.retry(count, results, (kernel, own, s) => {
      kernel.backpropagate(rowOf(x, s, n), upstream && rowOf(upstream, s, n), 1, {
        ...own,
        xGradient: xGradient && rowOf(xGradient, s, n),
        sums: null,
      });
    });
  }

  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: StageInversionResults,
  ): void {
    const { H } = this.layer;
    const { converged, iterations, residual } = results;
    const z = H ? this.kernels.floats(y.length) : results.x;
    this.kernel.synthesize(y, count, settings, { converged, iterations, residual, z });
    if (!H) return;
    this.unmixing ??= LinearOperator.ofInverse(this.kernels, H, this.shape);
    this.unmixing.apply(z, count, results.x);
  }
}

function hasFixedAlpha({ structure }: Gdn): boolean {
  return !freeGroups(structure).includes("alpha");
}

/** The part of a layer that determines the shapes of its tensors. */
export interface GdnDescription extends DimensionDescription {
  readonly structure: GdnStructure;
  /** Stated in words, so that a file that lost its H is rejected. */
  readonly H: "matrix" | "identity";
  /** R of the structure "low-rank". */
  readonly rank?: number;
}

export const gdnKind: SampleStageKind<Gdn, GdnDescription> = {
  kind: "gdn",
  make: gdn,
  groups: ["H", ...tiedGroups],
  describe({ kind, structure, dimension, rank, H: matrix }) {
    const H = matrix ? "matrix" : "identity";
    return { kind, structure, dimension, H, ...(rank !== undefined && { rank }) };
  },
  checkDescription(value, name) {
    checkFields(name, value, ["kind", "dimension", "structure", "H", "rank"]);
    const described = value as unknown as GdnDescription;
    checkDimension(described.dimension);
    checkStructure(described.structure);
    checkRank(described);
    if (["matrix", "identity"].includes(described.H)) return described;
    throw expected("H", 'be described as "matrix" or "identity"', described.H);
  },
  components: ({ dimension }) => dimension,
  shapes({ structure, dimension: n, rank, H }, given) {
    // Renumbers the subspaces from 0, whatever numbers a damaged file holds.
    const partition = given && Int32Array.from(new Set(Array.from(given)), (_, k) => k);
    const size = { structure, dimension: n, partition, ...(rank !== undefined && { rank }) };
    const lengths = freeLengths(size);
    const tied = freeGroups(structure).map((group) => {
      const { length, matrix } = shapeOf(size, group, lengths[group]);
      // g, then the columns of U, then the columns of V.
      if (group === "gamma" && rank !== undefined) return [group, [2 * rank + 1, n]] as const;
      return [group, matrix === undefined ? [length] : [n, n]] as const;
    });
    return {
      ...(H === "matrix" && { H: [n, n] }),
      ...(structure === "subspace" && { partition: [n] }),
      ...Object.fromEntries<readonly number[]>(tied),
    };
  },
  invertibleBecause: null,
  operations(layer) {
    const { dimension: n } = layer;
    const { form, rank = 1 } = formOf(layer);
    // Operations that take five and ten times as long as in an elimination
    // (bench/measured-costs.ts).
    if (form === "low-rank") return 5 * (n * n) + 10 * n * square(rank);
    return form === "diagonal" ? n * n : n * n * n;
  },
  open: (kernels, stage, leaves) => new GdnOperator(kernels, stage, leaves),
  sumLengths(layer) {
    const { dimension, H } = layer;
    const { form, rank } = formOf(layer);
    const { H: linearLength, ...others } = gdnLengths(form, dimension, rank);
    return H ? { H: linearLength, ...others } : others;
  },
  common: (kernels, { H, dimension }) => commonOfLinear(kernels, H, dimension),
  finishGradient(stage, sums, count, { inverse }) {
    const entrySums = sums as unknown as GdnGradient;
    const { H } = entrySums;
    const free = collectOnFree(stage, entrySums);
    if (inverse && H) subtractTransposed(H, inverse, count);
    const groups: Record<string, FloatArray> = H && inverse ? { H, ...free } : free;
    const present = Object.entries(groups).filter(([, values]) => values.length > 0);
    return Object.fromEntries(present) satisfies ParameterGroups;
  },
  failure: (_, component) =>
    `the Jacobian is not positive definite (pivot ${component} is not positive), or it overflows`,
};
