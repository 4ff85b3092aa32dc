/** Job: draws filters and samples of a model file. */
import { densityOf } from "../../../src/density/density-of.js";
import type { Density } from "../../../src/density/density.js";
import { readingOf } from "../../../src/density/model-files/model-reading.js";
import { GaussianizeError } from "../../../src/errors.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import { wholeBlocks } from "../../../src/transforms/field.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import { filterPicture } from "../../compute/filter-mosaic.js";
import type { Job } from "../../compute/job.js";
import { readAnyModelFile, whyNoDraws } from "../../compute/model-file.js";

export interface ModelPictures {
  /** Name of the model. */
  readonly title: string;
  /** Steps of its fit; null if unknown. */
  readonly steps: number | null;
  /** Seed of the samples. */
  readonly seed: number;
  readonly filters: Bitmap | null;
  readonly samples: Bitmap | null;
  /** Describes the samples: "36 samples". */
  readonly sampled: string;
  /** Reasons why a picture is missing. */
  readonly notes: readonly string[];
}

const sampleCount = 36;
/** Approximate side of a sampled image in pixels. */
const imageSide = 192;

export const showModel: Job<
  {
    /** Identifies the contents of the file. */
    readonly key: string;
    /** The file, or its address on the server. */
    readonly file: Blob | string;
    readonly name: string;
    readonly seed: number;
  },
  ModelPictures
> = async ({ file, name, seed }, { runner, signal }) => {
  const model = await readAnyModelFile(await blobOf(file, signal), name);
  signal.throwIfAborted();
  const notes: string[] = [];
  const filters = filterPicture(model);
  if (!filters) notes.push("This model has no filters that act on pixels.");
  const density = densityOf(model, runner);
  const samples = await samplePicture(density, seed, signal);
  if (typeof samples === "string") notes.push(samples);
  return {
    title: model.about.name ?? "unnamed model",
    steps: model.about.training?.steps ?? null,
    seed,
    filters,
    samples: typeof samples === "string" ? null : samples,
    sampled: density.kind === "images" ? "A whole image" : `${sampleCount} samples`,
    notes,
  };
};

async function blobOf(file: Blob | string, signal: AbortSignal): Promise<Blob> {
  if (typeof file !== "string") return file;
  const response = await fetch(file, { signal });
  if (response.ok) return response.blob();
  throw new GaussianizeError("network-failed", await response.text());
}

/** Returns a picture of samples, or the reason why there is none. */
async function samplePicture(
  density: Density,
  seed: number,
  signal: AbortSignal,
): Promise<Bitmap | string> {
  const { model } = density;
  const reading = readingOf(model);
  if (!reading) return "This model does not say how its dimensions form a square patch.";
  const reason = await whyNoDraws(density, signal);
  if (reason !== null) return reason;
  if (density.kind === "patches") {
    const x = await density.sample(sampleCount, { seed, signal });
    return greyBitmap(sampleMosaic(x, model));
  }
  const side = wholeBlocks(imageSide, reading.layout.size);
  const size = { width: side, height: side };
  const [{ pixels }] = await density.sample(1, { seed, size, signal });
  return greyBitmap(sampleMosaic(pixels, model, size));
}
