/** A small cascade of two convolutions and two normalizations, with nothing symmetric about it, and its gradients by differences. */
import type { GreyPixels } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { startingConvolution } from "../../src/transforms/convolution.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { imageToField } from "../../src/transforms/field.js";
import {
  type ImageCascade,
  type ImageStage,
  imageCascade,
} from "../../src/transforms/image-cascade.js";
import { mapParameters } from "../../src/transforms/parameters.js";
import { pcaWhitening } from "../../src/transforms/whitening.js";
import { seed } from "./seed.js";

/** Neighbours resemble each other. */
export function noiseImage(
  width: number,
  height: number,
): GreyPixels & { readonly pixels: Float64Array } {
  const white = createRandom(seed, "image").normalFill(new Float64Array(width * height));
  const pixels = white.map((value, k) => value + 0.6 * white[(k + 1) % white.length]);
  return { width, height, pixels };
}

/** Block PCA, GDN, a 3×3 convolution of the maps, GDN: every parameter a little off its start. */
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
  if (stage.kind === "convolution") return { ...stage, weights: moved(0.08)(stage.weights) };
  return mapParameters(stage, moved(0.05));
}

interface GroupGradient {
  readonly stage: number;
  readonly name: string;
  readonly values: Float64Array;
}

/** The gradient of a loss by every parameter of every stage, by central differences. */
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
          const changed = { ...record, [name]: moved };
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
