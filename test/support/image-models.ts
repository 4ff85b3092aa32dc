/** Small models of whole images for the tests of commands: nothing about them is symmetric. */
import { join } from "node:path";
import { writeModel } from "../../node/model-files.js";
import type { ImageModel, ModelAbout } from "../../src/density/model-files/model.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { type Convolution, convolution } from "../../src/transforms/convolution.js";
import { gdn } from "../../src/transforms/gdn.js";
import { type ImageStage, imageCascade } from "../../src/transforms/image-cascade.js";
import { seed } from "./seed.js";
import { randomLayer } from "./models.js";

const random = createRandom(seed, "image command models");

/** Filters of 3×3 blocks around the location, or one block more to one side. */
function mixing(maps: number, strength = 0.05): Convolution {
  const taps = { width: 3, height: 2, left: -1, top: 0 };
  const weights = random.normalFill(new Float32Array(6 * maps * maps));
  for (let k = 0; k < weights.length; k++) weights[k] *= strength;
  for (let c = 0; c < maps; c++) weights[(maps + c) * maps + c] += 1;
  return convolution({ maps, taps, weights });
}

const scaled = (maps: number): ImageStage =>
  affine({
    dimension: maps,
    scale: new Float32Array(maps).fill(3),
    shift: new Float32Array(maps).fill(-1.5),
  });
const normalization = (maps: number): ImageStage =>
  randomLayer(random, "column", { n: maps, withH: false });

const stride = 4;
const maps = stride ** 2;
const blocks = { width: stride, height: stride, black: 0, white: 1 };
const stages = [scaled(maps), mixing(maps), normalization(maps), mixing(maps), normalization(maps)];

const withStages = (given: readonly ImageStage[], about: ModelAbout): ImageModel => ({
  transform: imageCascade({ stride, stages: given }),
  about,
});

/** y_p = x_p + x_{p+1}: lost at the highest frequency, which a grid of even width has. */
function doubling(): Convolution {
  const weights = new Float32Array(2 * maps * maps);
  for (let c = 0; c < 2 * maps; c++) weights[c * maps + (c % maps)] = 1;
  return convolution({ maps, taps: { width: 2, height: 1, left: 0, top: 0 }, weights });
}

export const imageModels = {
  /** All there is to say about it. */
  images: withStages(stages, {
    name: "cascade",
    patch: blocks,
    preprocessing: { dequantization: "uniform", stages: 1 },
    figures: { negentropyDifferenceInNatsPerPixel: -2.0391, smallestSingularValue: 0.05 },
    training: { frequencyGrid: { width: 32, height: 32 } },
    seed: 7,
  }),
  linearLight: withStages(stages, { name: "light", patch: { ...blocks, luminance: "linear" } }),
  /** Of noise of 25 grey levels. */
  noisyImages: withStages(stages, {
    patch: blocks,
    preprocessing: { dequantization: "none", stages: 1, noiseLevel: 25 / 255 },
  }),
  bare: withStages([scaled(maps)], {}),
  singular: withStages([scaled(maps), doubling()], { patch: blocks }),
  /** One-to-one, but not onto. */
  bounded: withStages(
    [mixing(maps), gdn({ structure: "classic", dimension: maps, beta: [1] })],
    {},
  ),
} satisfies Record<string, ImageModel>;

/** Beside the models of patches in a folder; says where each is. */
export async function writeImageModels(
  folder: string,
): Promise<(name: keyof typeof imageModels) => string> {
  const path = (name: string): string => join(folder, `${name}.safetensors`);
  for (const [name, model] of Object.entries(imageModels)) await writeModel(path(name), model);
  return path;
}
