/**
 * The order of images. In every round each run of images occurs once, in a random order of that
 * round. The endless sequence of runs is dealt to L lanes: lane l gets the runs l, l + L, l + 2 L
 * …, or more of them if it has more rows. So every image occurs once in each round, whatever the
 * lengths of the runs, and in any lane.
 */
import { type Seed, createRandom } from "../random/random-stream.js";
import type { Turns } from "./reading-plan.js";

export interface Occurrence {
  readonly index: number;
  /** Number of complete rounds before. */
  readonly round: number;
  /** End of the run: the images from `index` up to it follow in order. */
  readonly until: number;
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly round: number;
}

export interface RunOptions {
  /** Number of images. */
  readonly images: number;
  /** First image of each run (reading-plan.ts). */
  readonly runs: Uint32Array | undefined;
  readonly seed: Seed;
  /** Repeats the first round for ever, because all images stay in memory. */
  readonly isRepeated: boolean;
}

/** Rounds whose order is cached; lanes are rarely farther apart. */
const roundsKept = 4;

export class RunSequence {
  private readonly runs: number;
  private readonly orders = new Map<number, Uint32Array>();

  constructor(private readonly options: RunOptions) {
    this.runs = options.runs?.length ?? options.images;
  }

  /** Length of every run; undefined if they differ. */
  get length(): number | undefined {
    return this.options.runs ? undefined : 1;
  }

  runAt(position: number): Run {
    const { images, runs, isRepeated } = this.options;
    const round = isRepeated ? 0 : Math.floor(position / this.runs);
    const run = this.orderOf(round)[position % this.runs];
    if (!runs) return { start: run, end: run + 1, round };
    return { start: runs[run], end: runs[run + 1] ?? images, round };
  }

  private orderOf(round: number): Uint32Array {
    const present = this.orders.get(round);
    if (present) return present;
    const order = createRandom(this.options.seed, "order", round).permutation(this.runs);
    const [oldest] = this.orders.keys();
    if (this.orders.size === roundsKept) this.orders.delete(oldest);
    this.orders.set(round, order);
    return order;
  }
}

/** The images of one lane, by their places. */
export class LaneSequence {
  /** The last run that was found; the search for the next place starts here. */
  private run = 0;
  private firstPlace = 0;

  constructor(
    private readonly runs: RunSequence,
    private readonly turns: Turns,
  ) {}

  at(place: number): Occurrence {
    const { length } = this.runs;
    if (length !== undefined) {
      this.run = Math.floor(place / length);
      this.firstPlace = this.run * length;
    }
    while (place < this.firstPlace) {
      const { start, end } = this.runOfLane(this.run - 1);
      this.run -= 1;
      this.firstPlace -= end - start;
    }
    for (;;) {
      const { start, end, round } = this.runOfLane(this.run);
      const index = start + place - this.firstPlace;
      if (index < end) return { index, round, until: end };
      this.run += 1;
      this.firstPlace += end - start;
    }
  }

  private runOfLane(number: number): Run {
    const { first, count, period } = this.turns;
    return this.runs.runAt(Math.floor(number / count) * period + first + (number % count));
  }
}
