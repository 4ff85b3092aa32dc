/**
 * A cascade of two stages that is fitted in a second: its second filters look at the locations to
 * the right and below, in a way that can be inverted anywhere.
 */
import type { GreyImage } from "../../src/images/grey-image.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { imageResponses } from "../../src/density/images/image-responses.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { fitSamples } from "../../src/training/fit-samples.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { type Convolution, convolution } from "../../src/transforms/convolution.js";
import { type Field, imageToField } from "../../src/transforms/field.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import {
  type ImageCascade,
  type ImageStage,
  imageCascade,
} from "../../src/transforms/image-cascade.js";

export interface HandMadeOptions {
  readonly stride: number;
  readonly steps: number;
}

export async function handMadeCascade(
  runner: TaskRunner,
  images: readonly GreyImage[],
  { stride, steps }: HandMadeOptions,
): Promise<ImageCascade> {
  const blocks = images.map((image) => imageToField(image, stride));
  const first = await fitted(runner, joined(blocks), stride, steps, here);
  const fields: Field[] = [];
  for (const image of images) {
    const cascade = imageCascade({ stride, stages: first });
    fields.push((await imageResponses(runner, cascade, image)).at(-1)!);
  }
  const second = await fitted(runner, joined(fields.map(around)), stride, steps, mapsAround);
  // Responses of the first stage have mean 0 nearly: where the second looks, it subtracts nothing.
  return imageCascade({ stride, stages: [...first, ...second] });
}

const here = (): number => 0;
/** Tap (of 2×2) that a map sees: the location itself, the one to the right, the one below. */
const mapsAround = (map: number): number => map % 3;

/** Standardized, its filters as a convolution and its normalization. */
async function fitted(
  runner: TaskRunner,
  x: FloatArray,
  stride: number,
  steps: number,
  tapOf: (map: number) => number,
): Promise<ImageStage[]> {
  const dimension = stride ** 2;
  const model = await fitSamples(runner, x, { dimension, model: "gdn", steps, learningRate: 0.02 });
  const [affine, layer] = stagesOf(model);
  const { H, ...rest } = layer as Gdn;
  return [affine, filters(H!, dimension, tapOf), gdn({ ...rest, H: null })];
}

function filters(H: FloatArray, maps: number, tapOf: (map: number) => number): Convolution {
  const weights = new Float32Array(4 * maps * maps);
  for (let out = 0; out < maps; out++) {
    for (let c = 0; c < maps; c++) {
      weights[(tapOf(c) * maps + out) * maps + c] = H[out * maps + c];
    }
  }
  return convolution({ maps, taps: { width: 2, height: 2, left: 0, top: 0 }, weights });
}

/** The values that the second filters see, location by location. */
function around(field: Field): Field {
  const { width, height, maps } = field;
  const values = field.values.map((_, k) => {
    const [c, p] = [k % maps, Math.floor(k / maps)];
    const [x, y] = [p % width, Math.floor(p / width)];
    const right = mapsAround(c) === 1 ? (x + 1) % width : x;
    const below = mapsAround(c) === 2 ? (y + 1) % height : y;
    return field.values[(below * width + right) * maps + c];
  });
  return { ...field, values };
}

function joined(fields: readonly Field[]): Float32Array {
  return Float32Array.from(fields.flatMap(({ values }) => Array.from(values)));
}
