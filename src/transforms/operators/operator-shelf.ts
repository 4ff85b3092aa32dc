import type { Kernels } from "../../kernels/kernels.js";
import type { LeafShape, StageOperator } from "../stage-kind.js";
import { type Stage, openOperator } from "../stage-kinds.js";

/** Idle operators to keep: the Pairs panel fits four densities in turn and draws each. */
const mostIdle = 16;
/** Operators of more dimensions are discarded: their memories are large. */
const mostDimensions = 64;

/**
 * Operators of one thread, kept for the next transform of the same shape.
 *
 * Every operator has a WebAssembly memory. Chromium reserves 10 GB of addresses for each, allows
 * about a hundred per page, and frees one only when its thread collects garbage. Two fits that take
 * turns would exhaust them if each turn opened new operators.
 */
export class OperatorShelf {
  private inUse: readonly Opened[] = [];
  private idle: Opened[] = [];

  constructor(private readonly kernels: Kernels) {}

  /** Returns a loaded operator for each stage, and releases the operators of the last call. */
  open(stages: readonly Stage[], leaves: LeafShape): readonly StageOperator[] {
    const before = this.inUse;
    this.idle.unshift(...before);
    this.inUse = stages.map((stage) => this.openedFor(stage, leaves));
    // Two transforms that take turns keep all their operators.
    const most = Math.max(mostIdle, before.length);
    this.idle = this.idle.filter(({ dimension }) => dimension <= mostDimensions).slice(0, most);
    return this.inUse.map(({ operator }) => operator);
  }

  private openedFor(stage: Stage, leaves: LeafShape): Opened {
    const { kind, dimension } = stage;
    const k = this.idle.findIndex(
      (opened) => opened.kind === kind && opened.operator.fits(stage, leaves),
    );
    if (k < 0) return { operator: openOperator(this.kernels, stage, leaves), kind, dimension };
    const [opened] = this.idle.splice(k, 1);
    opened.operator.load(stage);
    return opened;
  }
}

interface Opened {
  readonly operator: StageOperator;
  readonly kind: Stage["kind"];
  readonly dimension: number;
}
