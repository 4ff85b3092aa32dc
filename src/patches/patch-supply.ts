/**
 * Random patches of more images than fit into memory. Windows of images slide over an endless
 * shuffled sequence of all of them, and move on after each block of steps; the patches of a block
 * are made at once (patch-block.ts), from all images in its windows. All this depends on the seed
 * and the number of the step only, so that a fit can be resumed anywhere, and the next images are
 * loaded while the block is used.
 *
 * A batch is made leaf by leaf, those of the reduction tree (kernels/reduction-tree.ts): whoever
 * computes on some of its leaves makes these only, and loads the images of their lanes only.
 */
import { expected } from "../errors.js";
import { type TreeNode, leafSizeFor } from "../kernels/reduction-tree.js";
import { atMost } from "../parallel/at-most.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { LaneSequence, RunSequence } from "./image-sequence.js";
import { ImageWindow, type LoadImage } from "./image-window.js";
import { type LaneOfBlock, Lane, fillLeaf, stepsOfBlock } from "./patch-block.js";
import { type PatchLayout, patchDimension } from "./patch-layout.js";
import {
  type ReadingPlan,
  checkRuns,
  laneOfLeaf,
  laneShapes,
  lanesFor,
  leavesOf,
} from "./reading-plan.js";

export interface PatchSupplyOptions extends Partial<ReadingPlan> {
  /**
   * Number of images, and how to get one, at least as large as a patch. In place of an unusable one
   * comes the next that is usable.
   */
  readonly images: number;
  readonly load: LoadImage;
  readonly layout: PatchLayout;
  /** Patches of a step. */
  readonly batch: number;
  readonly seed: Seed;
  /**
   * Images that patches are drawn from at a time; default all. In memory are these, and those of
   * the next block that are new.
   */
  readonly window?: number;
  /**
   * The oldest images of the window, so many, make room for new ones after each block; default a
   * 16th of it.
   */
  readonly imagesPerBlock?: number;
  /**
   * That images are dealt to, where not all fit in; a power of two, default what `lanesFor`
   * says.
   */
  readonly lanes?: number;
}

/**
 * Images: enough to keep a disk and several cores busy, few enough for the limits on open files and
 * on memory.
 */
const loadsAtOnce = 16;

/** Some leaves of a batch; all of them where left out. */
export type BatchPart = TreeNode;

interface Block {
  readonly number: number;
  readonly part: BatchPart;
  readonly samples: Promise<Float32Array>;
}

/** Supplies random patches of images for each step of a fit. */
export class PatchSupply {
  /** Steps whose patches are made at once. */
  readonly stepsPerBlock: number;
  /** Leaves of a batch. */
  readonly leaves: number;
  private readonly lanes: readonly Lane[];
  private block: Block | undefined;

  constructor(private readonly options: PatchSupplyOptions) {
    const { images, load, layout, batch, seed, runs } = options;
    const { window = images } = options;
    const { imagesPerBlock = Math.ceil(window / 16) } = options;
    for (const [name, value] of Object.entries({ images, batch, window, imagesPerBlock })) {
      if (!Number.isInteger(value) || value < 1) {
        throw expected(name, "be a positive integer", value);
      }
    }
    if (imagesPerBlock > window) {
      throw expected("imagesPerBlock", `be at most the window (${window})`, imagesPerBlock);
    }
    patchDimension(layout);
    checkRuns(images, runs);
    this.stepsPerBlock = stepsOfBlock(layout, batch);
    this.leaves = leavesOf(batch);
    const stride = window < images ? imagesPerBlock : 0;
    const sequence = new RunSequence({ images, runs, seed, isRepeated: stride === 0 });
    const lanes = this.laneCount();
    const gate = atMost(loadsAtOnce);
    const common = { images, load, gate, size: layout.size, unusable: new Set<number>() };
    this.lanes = laneShapes(lanes, batch, Math.min(window, images), stride).map((shape, lane) => {
      const window = new ImageWindow(new LaneSequence(sequence, shape.turns), common);
      return new Lane(window, { ...shape, seed, lane });
    });
  }

  /**
   * The samples of a step, batch×N, or of a part of it: a view of those of its block, to be read
   * only. They are the same bytes whichever parts are asked for.
   */
  async batchAt(step: number, part?: BatchPart): Promise<Float32Array> {
    if (!Number.isSafeInteger(step) || step < 0) {
      throw expected("step", "be an integer of at least 0", step);
    }
    const { stepsPerBlock } = this;
    const samples = await this.blockAt(Math.floor(step / stepsPerBlock), this.checkedPart(part));
    const length = samples.length / stepsPerBlock;
    const start = (step % stepsPerBlock) * length;
    return samples.subarray(start, start + length);
  }

  private laneCount(): number {
    const { images, batch, runs, window = images, lanes } = this.options;
    if (lanes === undefined || window >= images) {
      return lanesFor(images, { window, ...(runs && { runs }) }, batch);
    }
    const most = Math.min(window, this.leaves);
    const isPower = Number.isInteger(lanes) && lanes >= 1 && (lanes & (lanes - 1)) === 0;
    if (isPower && lanes <= most) return lanes;
    throw expected("lanes", `be a power of two of at most ${most}`, lanes);
  }

  private checkedPart(part: BatchPart = { firstLeaf: 0, leaves: this.leaves }): BatchPart {
    const { firstLeaf, leaves } = part;
    const isPart = Number.isInteger(firstLeaf) && Number.isInteger(leaves);
    if (isPart && firstLeaf >= 0 && leaves >= 1 && firstLeaf + leaves <= this.leaves) return part;
    const rule = `be among the ${this.leaves} leaves of a batch`;
    throw expected("the part", rule, `${leaves} from ${firstLeaf} on`);
  }

  /**
   * The last one is kept, the one before lives as long as somebody holds a batch of it: each is an
   * array of its own.
   */
  private blockAt(number: number, part: BatchPart): Promise<Float32Array> {
    const present = this.block;
    if (present?.number === number && isSamePart(present.part, part)) return present.samples;
    const block = { number, part, samples: this.makeBlock(number, part) };
    this.block = block;
    // A failure is not kept: whoever asks again may have mended its cause.
    block.samples.catch(() => {
      if (this.block === block) this.block = undefined;
    });
    return block.samples;
  }

  private async makeBlock(number: number, part: BatchPart): Promise<Float32Array> {
    const { layout, batch, seed } = this.options;
    const steps = this.stepsPerBlock;
    const lanes = await this.lanesAt(number, part);
    const leafSize = leafSizeFor(batch);
    const first = part.firstLeaf * leafSize;
    const rowsOfStep = Math.min(batch, first + part.leaves * leafSize) - first;
    const samples = new Float32Array(steps * rowsOfStep * patchDimension(layout));
    for (let leaf = part.firstLeaf; leaf < part.firstLeaf + part.leaves; leaf++) {
      const lane = lanes[this.laneOf(leaf) - this.laneOf(part.firstLeaf)];
      const row = leaf * leafSize;
      fillLeaf(createRandom(seed, "patches", number, leaf), lane, {
        firstRow: row - lane.firstRow,
        rows: Math.min(leafSize, batch - row),
        samples,
        rowsOfStep,
        firstRowOfSamples: row - first,
      });
    }
    return samples;
  }

  /** Those that a part needs, with their images; the others forget theirs. */
  private lanesAt(number: number, { firstLeaf, leaves }: BatchPart): Promise<LaneOfBlock[]> {
    const { layout } = this.options;
    const [first, last] = [this.laneOf(firstLeaf), this.laneOf(firstLeaf + leaves - 1)];
    this.lanes.forEach((lane, k) => {
      if (k < first || k > last) lane.forget();
    });
    return Promise.all(
      this.lanes.slice(first, last + 1).map(async (lane) => {
        const { firstRow, rows } = lane;
        return {
          firstRow,
          rows,
          layout,
          steps: this.stepsPerBlock,
          images: await lane.imagesAt(number),
        };
      }),
    );
  }

  private laneOf(leaf: number): number {
    return laneOfLeaf(leaf, this.lanes.length, this.options.batch);
  }
}

function isSamePart(one: BatchPart, other: BatchPart): boolean {
  return one.firstLeaf === other.firstLeaf && one.leaves === other.leaves;
}
