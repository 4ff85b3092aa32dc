/**
 * Small asymmetric models of whole images, random convolutions and fields, and gradients by central
 * differences.
 */
import { join } from "node:path";
import { writeModel } from "../../node/model-files.js";
import type { ImageModel, ModelAbout } from "../../src/density/model-files/model.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import {
  type Convolution,
  convolution,
  startingConvolution,
  type Taps,
} from "../../src/transforms/convolution.js";
import { gdn } from "../../src/transforms/gdn.js";
import {
  type ImageStage,
  imageCascade,
  type ImageCascade,
} from "../../src/transforms/image-cascade.js";
import { seed } from "./seed.js";
import { randomLayer } from "./models.js";
import type { GreyPixels } from "../../src/images/grey-image.js";
import type { Unchecked } from "../../src/transforms/checks.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { imageToField, type Field, type GridSize } from "../../src/transforms/field.js";
import { mapParameters } from "../../src/transforms/parameters.js";
import { pcaWhitening } from "../../src/transforms/whitening.js";

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

/** y_p = x_p + x_{p+1}: loses the highest frequency, which only grids of even width have. */
function doubling(): Convolution {
  const weights = new Float32Array(2 * maps * maps);
  for (let c = 0; c < 2 * maps; c++) weights[c * maps + (c % maps)] = 1;
  return convolution({ maps, taps: { width: 2, height: 1, left: 0, top: 0 }, weights });
}

export const imageModels = {
  /** Complete metadata. */
  images: withStages(stages, {
    name: "cascade",
    patch: blocks,
    preprocessing: { dequantization: "uniform", stages: 1 },
    figures: { negentropyDifferenceInNatsPerPixel: -2.0391, smallestSingularValue: 0.05 },
    training: { frequencyGrid: { width: 32, height: 32 } },
    seed: 7,
  }),
  linearLight: withStages(stages, { name: "light", patch: { ...blocks, luminance: "linear" } }),
  /** Model for a noise level of 25 grey levels. */
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

/** Writes the models to a folder; returns their paths. */
export async function writeImageModels(
  folder: string,
): Promise<(name: keyof typeof imageModels) => string> {
  const path = (name: string): string => join(folder, `${name}.safetensors`);
  for (const [name, model] of Object.entries(imageModels)) await writeModel(path(name), model);
  return path;
}

/** Returns an image whose neighbouring pixels are similar. */
export function noiseImage(
  width: number,
  height: number,
): GreyPixels & { readonly pixels: Float64Array } {
  const white = createRandom(seed, "image").normalFill(new Float64Array(width * height));
  const pixels = white.map((value, k) => value + 0.6 * white[(k + 1) % white.length]);
  return { width, height, pixels };
}

/**
 * Returns block PCA, GDN, a 3×3 convolution and GDN, with all parameters slightly off their start.
 */
export const smallCascade: ImageCascade = imageCascade({
  stride: 2,
  stages: [
    startingConvolution({
      maps: 4,
      width: 3,
      H: pcaWhitening(imageToField(noiseImage(16, 12), 2).values, 4),
    }),
    startingGdn({ structure: "column", dimension: 4 }),
    startingConvolution({ maps: 4, width: 3 }),
    startingGdn({ structure: "column", dimension: 4 }),
  ].map((stage, k) => shaken(stage, k)),
});

function shaken(stage: ImageStage, k: number): ImageStage {
  const random = createRandom(seed, "shaken", k);
  const moved = (size: number) => (values: ArrayLike<number>) =>
    Float64Array.from(values, (value) => value + size * random.uniform());
  if (stage.kind === "convolution") {
    return convolution({ ...stage, weights: moved(0.08)(stage.weights) });
  }
  return mapParameters(stage, moved(0.05));
}

interface GroupGradient {
  readonly stage: number;
  readonly name: string;
  readonly values: Float64Array;
}

/** Returns the gradient of a loss by all parameters, by central differences. */
export async function parameterGradients(
  cascade: ImageCascade,
  loss: (changed: ImageCascade) => Promise<number>,
  step = 1e-5,
): Promise<GroupGradient[]> {
  const found: GroupGradient[] = [];
  for (const [stage, record] of cascade.stages.entries()) {
    for (const [name, group] of Object.entries(record)) {
      if (!(group instanceof Float64Array) || group.length === 0) continue;
      const values = new Float64Array(group.length);
      for (const k of group.keys()) {
        const at = (t: number) => {
          const moved = group.map((value, j) => (j === k ? value + t : value));
          const changed: Unchecked<ImageStage> = { ...record, [name]: moved };
          const stages = cascade.stages.map((other, s) => (s === stage ? changed : other));
          return loss(imageCascade({ stride: cascade.stride, stages }));
        };
        values[k] = ((await at(step)) - (await at(-step))) / (2 * step);
      }
      found.push({ stage, name, values });
    }
  }
  return found;
}

/** Returns an asymmetric convolution near the identity, so that it is invertible. */
export function randomConvolution(maps: number, taps: Taps, size = 0.4): Convolution {
  const random = createRandom(seed, "convolution", maps, taps.width, taps.height, taps.left);
  const count = taps.width * taps.height;
  const weights = random.normalFill(new Float64Array(count * maps * maps));
  const scale = size / Math.sqrt(count * maps);
  for (let k = 0; k < weights.length; k += 1) weights[k] *= scale;
  const own = Math.floor(count / 2) * maps * maps;
  for (let c = 0; c < maps; c += 1) weights[own + c * (maps + 1)] += 1 + 0.3 * c;
  return convolution({ maps, taps, weights });
}

export function randomField({ width, height }: GridSize, maps: number, label = "field"): Field {
  const random = createRandom(seed, label, width, height, maps);
  return {
    width,
    height,
    maps,
    values: random.normalFill(new Float64Array(width * height * maps)),
  };
}

/** Computes y_p = Σ_q F_q x_{p+q} location by location. */
export function convolvedByDefinition(
  { maps, taps, weights }: Convolution,
  x: Field,
): Float64Array {
  const { width, height } = x;
  const y = new Float64Array(x.values.length);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      for (let tap = 0; tap < taps.width * taps.height; tap += 1) {
        const r = row + taps.top + Math.floor(tap / taps.width) + 100 * height;
        const c = column + taps.left + (tap % taps.width) + 100 * width;
        const from = ((r % height) * width + (c % width)) * maps;
        for (let o = 0; o < maps; o += 1) {
          for (let i = 0; i < maps; i += 1) {
            y[(row * width + column) * maps + o] +=
              weights[(tap * maps + o) * maps + i] * x.values[from + i];
          }
        }
      }
    }
  }
  return y;
}

/** Returns the columns of the matrix that maps all values of a field to all values. */
export function explicitMatrix(given: Convolution, { width, height }: GridSize): Float64Array[] {
  const { maps } = given;
  const n = width * height * maps;
  return Array.from({ length: n }, (_, k) => {
    const values = new Float64Array(n);
    values[k] = 1;
    return convolvedByDefinition(given, { width, height, maps, values });
  });
}

type Case = readonly [name: string, grid: GridSize, given: Convolution];

function caseOf(grid: GridSize, maps: number, taps: Taps): Case {
  const name = `${grid.width}×${grid.height}, ${maps} maps, ${taps.width}×${taps.height} taps`;
  return [name, grid, randomConvolution(maps, taps)];
}

/** Test cases: odd and even sizes, taps on one side, taps wider than the field. */
export const convolutionCases: readonly Case[] = [
  caseOf({ width: 5, height: 3 }, 3, { width: 3, height: 2, left: -2, top: 0 }),
  caseOf({ width: 4, height: 6 }, 2, { width: 2, height: 3, left: 1, top: -1 }),
  caseOf({ width: 3, height: 2 }, 2, { width: 5, height: 3, left: -1, top: -2 }),
  caseOf({ width: 1, height: 7 }, 4, { width: 1, height: 3, left: 0, top: -1 }),
];
