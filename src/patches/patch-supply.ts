/**
 * Random patches of more images than fit into memory. Windows slide over an endless shuffled
 * sequence of all images and move after each block of steps. The patches of a block are made
 * together (patch-block.ts), from all images in its windows, while the next images are loaded. They
 * depend only on the seed and the number of the step, so a fit can resume anywhere.
 *
 * A batch is made of the leaves of the reduction tree (kernels/reduction-tree.ts). A process that
 * needs some leaves makes only these, and loads only the images of their lanes.
 */
import { expected } from "../errors.js";
import { requireCounts } from "../images/grey-image.js";
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
  /** Number of images. */
  readonly images: number;
  /** Loads an image, at least as large as a patch. The next usable one replaces an unusable one. */
  readonly load: LoadImage;
  readonly layout: PatchLayout;
  /** Patches per step. */
  readonly batch: number;
  readonly seed: Seed;
  /**
   * Images to draw patches from at a time, default all. New images of the next block come on top.
   */
  readonly window?: number;
  /** Images of the window that are replaced after each block, default a 16th of it. */
  readonly imagesPerBlock?: number;
  /** Number of lanes if not all images fit in; a power of two, default `lanesFor`. */
  readonly lanes?: number;
}

/** Concurrent loads: enough for a disk and several cores, few enough for open files and memory. */
const loadsAtOnce = 16;

/** Some leaves of a batch. */
export type BatchPart = TreeNode;

interface Block {
  readonly number: number;
  readonly part: BatchPart;
  readonly samples: Promise<Float32Array>;
}

/** Supplies random patches of images for each step of a fit. */
export class PatchSupply {
  /** Steps whose patches are made together. */
  readonly stepsPerBlock: number;
  /** Leaves of a batch. */
  readonly leaves: number;
  private readonly lanes: readonly Lane[];
  private block: Block | undefined;

  constructor(private readonly options: PatchSupplyOptions) {
    const { images, load, layout, batch, seed, runs } = options;
    const { window = images } = options;
    const { imagesPerBlock = Math.ceil(window / 16) } = options;
    requireCounts({ images, batch, window, imagesPerBlock });
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
   * Returns the samples of a step, batch×N, or of a part of it, as a read-only view of its block.
   * The bytes do not depend on the parts that are asked for.
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

  /** Returns the samples of a block. The last block is cached, each in its own array. */
  private blockAt(number: number, part: BatchPart): Promise<Float32Array> {
    const present = this.block;
    if (present?.number === number && isSamePart(present.part, part)) return present.samples;
    const block = { number, part, samples: this.makeBlock(number, part) };
    this.block = block;
    // A failure is not cached: its cause may be gone next time.
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

  /** Loads the images of the lanes that a part needs; the other lanes drop theirs. */
  private lanesAt(number: number, { firstLeaf, leaves }: BatchPart): Promise<LaneOfBlock[]> {
    const { layout } = this.options;
    const [first, last] = [this.laneOf(firstLeaf), this.laneOf(firstLeaf + leaves - 1)];
    this.lanes.forEach((lane, k) => {
      if (k < first || k > last) lane.forget();
    });
    return Promise.all(
      this.lanes.slice(first, last + 1).map(async (lane) => {
        const images = await lane.imagesAt(number);
        return { ...lane.shape, images, layout, steps: this.stepsPerBlock };
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
