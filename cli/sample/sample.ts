/** The work of `gaussianize sample`: draws from the density of a model. */
import type { Density, DensitySampleOptions } from "../../src/density/density.js";
import { usualSide } from "../../src/density/images/image-synthesis.js";
import {
  type AnyModel,
  type ModelAbout,
  isImageModel,
} from "../../src/density/model-files/model.js";
import { encodeNpz } from "../../src/density/model-files/npz.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import { sampleMosaic, shownImage } from "../../src/figures/sample-mosaic.js";
import type { GreyPixels } from "../../src/images/grey-image.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { thousands } from "../../src/numbers/format-number.js";
import { writeAtomically } from "../../node/write-atomically.js";
import { writePng } from "../../node/figures.js";
import type { Effects } from "../effects.js";
import {
  openModel,
  refuseOptions,
  requireCount,
  requireOutput,
  requirePatches,
} from "../model-files.js";
import { type ImageSize, hasEnding } from "../options.js";
import { Progress } from "../progress.js";
import { counted } from "../text.js";

export interface SampleOptions {
  readonly count?: number;
  readonly size?: ImageSize;
  readonly seed: number;
  readonly temperature?: number;
  readonly workers?: number;
  readonly output?: string;
  readonly json?: true;
}

/** Limits of what fits into memory: arrays exist about six times, pictures and JSON are larger. */
const mostInArray = 2 ** 26;
const mostInText = 2 ** 23;

export async function sample(
  path: string,
  options: SampleOptions,
  effects: Effects,
): Promise<void> {
  const { seed, output, json } = options;
  if (output === undefined && !json) {
    throw new UsageError("Where should the samples go? Give -o <file>, or --json to print them.");
  }
  await requireOutput(output, path);
  await using density = await openModel(path, options);
  const plan = planOf(density, path, options);
  await requireDensity(density, path);
  const progress = new Progress(effects, "sample", plan.count, { unit: density.kind });
  const drawn = await density.sample(plan.count, {
    seed,
    ...plan.choice,
    onProgress: (done) => {
      progress.report(done);
    },
  });
  progress.finish();
  const x = valuesOf(drawn);
  if (output !== undefined) await write(output, x, density.model, plan);
  if (json) {
    const everything = { model: path, seed, ...plan.json, x: nested(x, plan.shape) };
    effects.stdout.write(`${JSON.stringify(everything)}\n`);
  }
  if (output === undefined) return;
  const tails = tailsOf(x, density.model.about);
  effects.stderr.write(`Wrote ${output}: ${plan.what}${tails}.\n`);
}

/** The samples to draw, and how to report them. */
interface Plan {
  readonly count: number;
  readonly choice: DensitySampleOptions;
  /** Shape of the array of all samples: count×N, or count×height×width. */
  readonly shape: readonly number[];
  /** Fields beside the samples in --json. */
  readonly json: object;
  readonly what: string;
}

/** Rejects, before any work, what the model cannot draw or the memory cannot hold. */
function planOf(density: Density, path: string, options: SampleOptions): Plan {
  refuseOptions(density, path, options, { images: ["size"] });
  const isPicture = options.output !== undefined && hasEnding(options.output, ".png");
  const isText = isPicture || options.json === true;
  if (density.kind === "images") return planOfImages(density, options, isText);
  const { count = 25, temperature } = options;
  const { dimension } = density;
  if (isText) requireCount("-n, --count", count, dimension, mostInText, " and .png or JSON");
  else requireCount("-n, --count", count, dimension, mostInArray);
  if (isPicture) requirePatches(density, path, "write .npz instead of .png");
  return {
    count,
    choice: temperature === undefined ? {} : { temperature },
    shape: [count, dimension],
    json: { temperature, dimension },
    what: counted(count, "sample"),
  };
}

function planOfImages({ dimension }: Density, options: SampleOptions, isText: boolean): Plan {
  const { count = 1, temperature } = options;
  const stride = Math.sqrt(dimension);
  const usual = usualSide(stride);
  const { width, height } = options.size ?? { width: usual, height: usual };
  if (width % stride !== 0 || height % stride !== 0) {
    throw new UsageError(
      `--size must be multiples of ${stride}, the stride of the model; received ${width}x${height}`,
    );
  }
  const [most, form] = isText ? [mostInText, " in .png or JSON"] : [mostInArray, ""];
  if (count * width * height > most) {
    throw new UsageError(
      `--size and -n, --count must ask for at most ${thousands(most)} pixels${form}; received ${thousands(count * width * height)}`,
    );
  }
  return {
    count,
    choice: { size: { width, height }, ...(temperature !== undefined && { temperature }) },
    shape: [count, height, width],
    json: { temperature, width, height },
    what: `${counted(count, "image")} of ${width}×${height} pixels`,
  };
}

/** Rejects a model that is not onto, even if the few vectors drawn happened to have preimages. */
async function requireDensity(density: Density, path: string): Promise<void> {
  const { invertible } = await density.verify();
  if (invertible) return;
  throw new GaussianizeError(
    "not-invertible",
    `${path} is not onto, so it has no density to draw from (see "gaussianize verify ${path}").`,
  );
}

/** Returns all samples in one array. */
function valuesOf(drawn: FloatArray | readonly GreyPixels[]): FloatArray {
  if (!Array.isArray(drawn)) return drawn as FloatArray;
  const images = drawn as readonly GreyPixels[];
  const x = new Float32Array(images.reduce((sum, { pixels }) => sum + pixels.length, 0));
  images.forEach(({ pixels }, k) => {
    x.set(pixels, k * pixels.length);
  });
  return x;
}

async function write(
  output: string,
  x: FloatArray,
  model: AnyModel,
  { count, shape, choice: { size } }: Plan,
): Promise<void> {
  if (!hasEnding(output, ".png")) {
    await writeAtomically(output, encodeNpz({ x: { values: x, shape } }));
    return;
  }
  const isOneImage = size && isImageModel(model) && count === 1;
  await writePng(
    output,
    isOneImage ? shownImage({ ...size, pixels: x }, model) : sampleMosaic(x, model, { ...size }),
  );
}

/** Returns nested lists, in the shape of the .npz array. */
function nested(x: FloatArray, [count, ...shape]: readonly number[]): unknown[] {
  const size = x.length / count;
  return Array.from({ length: count }, (_, k) => {
    const part = x.subarray(k * size, (k + 1) * size);
    return shape.length === 1 ? Array.from(part) : nested(part, shape);
  });
}

/** Reports values beyond black or white: a picture does not show how heavy the tails are. */
function tailsOf(x: FloatArray, { patch }: ModelAbout): string {
  const { black, white } = patch ?? {};
  if (black === undefined || white === undefined) return "";
  let outside = 0;
  for (const value of x) if (value < black || value > white) outside++;
  if (outside === 0) return "";
  const percent = (100 * outside) / x.length;
  const share = percent >= 99.5 ? percent.toFixed(0) : percent.toPrecision(2);
  return `; ${share} % of the values are beyond black (${black}) or white (${white})`;
}
