/**
 * Mutual information from counts in K×K bins, whose rows and columns all hold the same number of
 * pairs:
 *
 *   I = Σ_ab (c_ab/n) ln( n c_ab / (c_a c_b) ) + (m_x + m_y − m_xy − 1)/2n
 *     = ( Σ_ab c_ab ln c_ab − Σ_a c_a ln c_a − Σ_b c_b ln c_b )/n + ln n + …
 *
 *   symbol          variable   meaning
 *   c_ab, c_a, c_b  joint, …   pairs in a bin, in a row, in a column
 *   m_xy, m_x, m_y  occupied   number of them that are not 0
 *   n               count      pairs
 *
 * The last term corrects the bias of the three entropies (Miller 1955; Madow): (K − 1)²/2n if no
 * bin is empty. Dependence within a bin is lost: the estimate is somewhat too low, less so with
 * more bins. Cost: O(n) after sorting, jackknife included.
 */
import { expected } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import { portableLog } from "../../numbers/logarithm.js";
import { checkFields } from "../../transforms/checks.js";
import { jackknifeError } from "../../numbers/means.js";
import { type PairInformation, groupBounds } from "./groups.js";
import { type PairRanks, ranksOf } from "./ranks.js";

export interface HistogramInformationOptions {
  /**
   * K; default √(n/10), from 2 to 200: the correction of the bias needs about ten pairs per bin.
   */
  readonly bins?: number;
  /** Sizes of groups of consecutive pairs that come from one image; default 1 for every pair. */
  readonly groups?: ArrayLike<number>;
}

export interface HistogramInformation extends PairInformation {
  /** K */
  readonly bins: number;
  /** The bias that was subtracted. */
  readonly biasInBits: number;
}

/** Estimates the mutual information of `pairs` x0, y0, x1, y1 … */
export function histogramInformation(
  pairs: FloatArray,
  options: HistogramInformationOptions = {},
): HistogramInformation {
  checkFields("the options of histogramInformation", options, ["bins", "groups"]);
  const ranks = ranksOf(pairs, options.bins ?? 4);
  const count = ranks.first.length;
  const { bins = defaultBins(count), groups } = options;
  if (!Number.isInteger(bins) || bins < 2 || bins > 1000) {
    throw expected("bins", "be an integer from 2 to 1000", bins);
  }
  const bounds = groupBounds(groups, count);
  const tables = new CountTables(ranks, bins);
  const { inBits, biasInBits } = tables.information();
  const without = tables.withoutEachGroup(bounds);
  return {
    inBits,
    bins,
    biasInBits,
    standardErrorInBits: jackknifeError(without),
    withoutGroupsInBits: groups ? without : null,
  };
}

function defaultBins(count: number): number {
  return Math.min(200, Math.max(2, Math.floor(Math.sqrt(count / 10))));
}

/** Counts, and the sums of the estimate over them; pairs can be removed one at a time. */
class CountTables {
  private readonly rows: Uint32Array;
  private readonly columns: Uint32Array;
  private readonly joint: Uint32Array;
  private readonly ofRow: Uint32Array;
  private readonly ofColumn: Uint32Array;
  /** c ln c */
  private readonly weights: Float64Array;
  private count: number;
  /** Σ_ab c_ab ln c_ab − Σ_a c_a ln c_a − Σ_b c_b ln c_b */
  private sum = 0;
  /** m_x + m_y − m_xy − 1 */
  private occupied = -1;

  constructor(
    { first, second }: PairRanks,
    private readonly bins: number,
  ) {
    this.count = first.length;
    const binOf = (rank: number): number => Math.floor((rank * bins) / first.length);
    this.rows = first.map(binOf);
    this.columns = second.map(binOf);
    this.joint = new Uint32Array(bins * bins);
    this.ofRow = new Uint32Array(bins);
    this.ofColumn = new Uint32Array(bins);
    for (let i = 0; i < this.count; i++) {
      this.joint[this.rows[i] * bins + this.columns[i]]++;
      this.ofRow[this.rows[i]]++;
      this.ofColumn[this.columns[i]]++;
    }
    this.weights = Float64Array.from(
      { length: Math.max(...this.ofRow, ...this.ofColumn) + 1 },
      (_, c) => (c === 0 ? 0 : c * portableLog(c)),
    );
    for (const [table, sign] of [
      [this.joint, 1],
      [this.ofRow, -1],
      [this.ofColumn, -1],
    ] as const) {
      for (const c of table) {
        this.sum += sign * this.weights[c];
        this.occupied -= c > 0 ? sign : 0;
      }
    }
  }

  information(): { inBits: number; biasInBits: number } {
    const { count, sum, occupied } = this;
    const biasInBits = -occupied / (2 * count) / Math.LN2;
    return { inBits: (sum / count + portableLog(count)) / Math.LN2 - biasInBits, biasInBits };
  }

  /** Returns the estimate without each group, in the same bins. */
  withoutEachGroup(bounds: Uint32Array): Float64Array {
    return Float64Array.from({ length: bounds.length - 1 }, (_, g) => {
      // Restored below, so that rounding errors do not add up over the groups.
      const { sum, occupied } = this;
      for (let i = bounds[g]; i < bounds[g + 1]; i++) this.change(i, -1);
      const { inBits } = this.information();
      for (let i = bounds[g]; i < bounds[g + 1]; i++) this.change(i, 1);
      [this.sum, this.occupied] = [sum, occupied];
      return inBits;
    });
  }

  /** Removes a pair (−1) or puts it back (1). */
  private change(i: number, by: 1 | -1): void {
    const [a, b] = [this.rows[i], this.columns[i]];
    this.changeCount(this.joint, a * this.bins + b, by, 1);
    this.changeCount(this.ofRow, a, by, -1);
    this.changeCount(this.ofColumn, b, by, -1);
    this.count += by;
  }

  private changeCount(table: Uint32Array, place: number, by: 1 | -1, sign: 1 | -1): void {
    const before = table[place];
    const after = before + by;
    table[place] = after;
    this.sum += sign * (this.weights[after] - this.weights[before]);
    if (before === 0 || after === 0) this.occupied -= sign * by;
  }
}
