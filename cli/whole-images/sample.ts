/** `gaussianize sample` with a model of whole images. */
import {
  type FloatArray,
  GaussianizeError,
  type GreyImage,
  type ImageModel,
  type TaskRunner,
  UsageError,
  encodeNpz,
  sampleImage,
  sampleMosaic,
  verifyImageCascade,
} from "../../src/index.js";
import { openRunner, writeAtomically, writePng } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { type ImageSize, hasEnding } from "../options.js";
import { Progress } from "../progress.js";
import { tailsOf } from "../sample-display.js";
import { thousands } from "../text.js";

interface Options {
  readonly count?: number;
  readonly size?: ImageSize;
  readonly seed: number;
  readonly workers?: number;
  readonly output?: string;
  readonly json?: true;
}

const usualSide = 256;
/** Pixels in memory, as for patches. */
const mostInArray = 2 ** 26;
const mostInText = 2 ** 23;

export async function drawImages(
  path: string,
  model: ImageModel,
  options: Options,
  effects: Effects,
): Promise<void> {
  const { count = 1, seed, workers, output, json } = options;
  const size = sizeFor(model, options.size);
  const isText = json ?? (output !== undefined && hasEnding(output, ".png"));
  requireRoom(count, size, isText);
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    await requireDensity(runner, model, path);
    const progress = new Progress(effects, "sample", count);
    const x = new Float32Array(count * size.width * size.height);
    for (let k = 0; k < count; k++) {
      // The first is what the library draws with this seed.
      const ofImage = k === 0 ? seed : `${seed} ${k}`;
      const image = await sampleImage(runner, model.transform, { ...size, seed: ofImage });
      x.set(image.pixels, k * image.pixels.length);
      progress.report(k + 1);
    }
    progress.finish();
    await write(x, model, size, { ...options, count });
    if (json) printJson(x, path, size, { seed, count }, effects);
    if (output === undefined) return;
    const what = count === 1 ? "1 image" : `${thousands(count)} images`;
    const pixels = `${what} of ${size.width}×${size.height} pixels`;
    effects.stderr.write(`Wrote ${output}: ${pixels}${tailsOf(x, model.about)}.\n`);
  } finally {
    await runner.close();
  }
}

function sizeFor({ transform: { stride } }: ImageModel, asked?: ImageSize): ImageSize {
  const usual = Math.max(1, Math.round(usualSide / stride)) * stride;
  const { width, height } = asked ?? { width: usual, height: usual };
  if (width % stride === 0 && height % stride === 0) return { width, height };
  throw new UsageError(
    `--size must be multiples of the stride of the model, ${stride}; received ${width}x${height}`,
  );
}

function requireRoom(count: number, { width, height }: ImageSize, isText: boolean): void {
  const [most, form] = isText ? [mostInText, " in .png or JSON"] : [mostInArray, ""];
  if (count * width * height <= most) return;
  throw new UsageError(
    `--size and -n, --count must ask for at most ${thousands(most)} pixels${form}; received ${thousands(count * width * height)}`,
  );
}

async function requireDensity(runner: TaskRunner, model: ImageModel, path: string): Promise<void> {
  const { invertible } = await verifyImageCascade(runner, model.transform, null);
  if (invertible) return;
  throw new GaussianizeError(
    `${path} is not onto: there is no density to draw from (see "gaussianize verify ${path}").`,
  );
}

async function write(
  x: Float32Array,
  model: ImageModel,
  { width, height }: ImageSize,
  { output, count }: { readonly output?: string; readonly count: number },
): Promise<void> {
  if (output === undefined) return;
  if (hasEnding(output, ".png"))
    await writePng(output, pictureOf(x, model, { width, height }, count));
  else
    await writeAtomically(output, encodeNpz({ x: { values: x, shape: [count, height, width] } }));
}

/** One as it is, several with lines between them. */
function pictureOf(
  x: FloatArray,
  model: ImageModel,
  { width, height }: ImageSize,
  count: number,
): GreyImage {
  const sheet = sampleMosaic(x, model, { width, height });
  if (count > 1) return sheet;
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (row + 1) * sheet.width + 1;
    pixels.set(sheet.pixels.subarray(from, from + width), row * width);
  }
  return { width, height, pixels };
}

function printJson(
  x: FloatArray,
  model: string,
  { width, height }: ImageSize,
  { seed, count }: { readonly seed: number; readonly count: number },
  { stdout }: Effects,
): void {
  // count×height×width, as in .npz.
  const images = Array.from({ length: count }, (_, k) =>
    Array.from({ length: height }, (_, row) => {
      const from = (k * height + row) * width;
      return Array.from(x.subarray(from, from + width));
    }),
  );
  stdout.write(`${JSON.stringify({ model, seed, width, height, x: images })}\n`);
}
