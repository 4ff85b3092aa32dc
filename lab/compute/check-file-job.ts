/** Job: identifies a dropped file and returns its facts. The contents are not trusted. */
import { openImageSet } from "../../browser/image-set.js";
import type { JsonValue } from "../../src/density/model-files/json.js";
import { readingOf } from "../../src/density/model-files/model-reading.js";
import { soundStages } from "../../src/density/model-files/model-file.js";
import { type AnyModel, isImageModel } from "../../src/density/model-files/model.js";
import { GaussianizeError } from "../../src/errors.js";
import { fixed } from "../../src/numbers/format-number.js";
import { tooSmall } from "../../src/patches/image-set.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import { type MetricsRecord, parseMetrics } from "../../src/runs/run-metrics.js";
import { describeCheckpoint } from "../../src/training/checkpoint-file.js";
import { thinned } from "../components/thinned.js";
import { type NamedFile, isModelFile } from "../named-file.js";
import { decodeSubject } from "../panels/denoise/subject.js";
import { openAnyModel } from "../panels/patches/open-sources.js";
import { openCheckpoint } from "../panels/train/train-job.js";
import { decodeInRange, decodePicture, mostPixels } from "./decode-picture.js";
import { type ImageModelSizes, sizesOf } from "./image-filters.js";
import type { Job } from "./job.js";
import { isCheckpointFile, readAnyModelFile } from "./model-file.js";

export type FileFacts =
  /** Read as the panel will read it: in grey, in colour, or for a list. */
  | (PictureSize & { readonly kind: "grey picture" | "colour picture" })
  | (PictureSize & {
      readonly kind: "listed picture";
      /** PNG file; null if the browser cannot draw the picture. */
      readonly thumbnail: Blob | null;
    })
  | { readonly kind: "patch model"; readonly about: FactList; readonly patchSide: number }
  | (ImageModelSizes & { readonly kind: "image model"; readonly about: FactList })
  /** `step` is the number of steps done. */
  | { readonly kind: "checkpoint"; readonly terms: FitTerms; readonly step: number }
  | { readonly kind: "metrics"; readonly records: readonly MetricsRecord[] };

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Facts from the metadata of a model. */
export type FactList = readonly (readonly [label: string, value: string])[];

export type FileKind = FileFacts["kind"];
export type FactsOf<K extends FileKind> = Extract<FileFacts, { readonly kind: K }>;

export interface FileToCheck extends NamedFile {
  /** Kinds that the panel accepts. */
  readonly accepts: readonly FileKind[];
  /** Side of the patches that a picture must have room for. */
  readonly patchSide?: number;
  /** Name of those patches in messages. */
  readonly pieces?: string;
  /** Whether a model must say how its dimensions form a square patch. */
  readonly needsPatches?: boolean;
  /** config.json of the run that a checkpoint belongs to. */
  readonly config?: File | null;
}

export const checkFile: Job<FileToCheck, FileFacts> = (input) => {
  const { file, accepts } = input;
  if (isModelFile(file)) return modelOrCheckpoint(input);
  if (accepts.includes("metrics")) return metricsOf(file);
  if (accepts.includes("listed picture")) return listedPicture(input);
  return accepts.includes("colour picture") ? colourPicture(input) : greyPicture(input);
};

async function modelOrCheckpoint(input: FileToCheck): Promise<FileFacts> {
  const { file, accepts, needsPatches = false, config = null } = input;
  const { name } = file;
  if (accepts.includes("checkpoint") && (await isCheckpointFile(file))) {
    const { bytes, run } = await openCheckpoint({ file, config });
    return { kind: "checkpoint", terms: run.terms, step: describeCheckpoint(bytes, name).step };
  }
  // Keeps the model open for the jobs that show it.
  const model = needsPatches
    ? (await openAnyModel({ ...input, kind: "file" })).model
    : await readAnyModelFile(file, name);
  const about = factsOf(model);
  if (isImageModel(model)) return { kind: "image model", about, ...sizesOf(model) };
  return { kind: "patch model", about, patchSide: readingOf(model)?.layout.size ?? 0 };
}

function factsOf(model: AnyModel): FactList {
  const { about } = model;
  const { name, patch, training, data, figures, seed } = about;
  const stages = soundStages(model).map(({ kind }) => kind);
  const facts: (readonly [string, string | undefined])[] = [
    ["Name", name],
    ["Patch", patch && `${patch.width}×${patch.height} pixels`],
    ["Stages", stages.join(", ")],
    ["Images", data?.images === undefined ? undefined : textOf(data.images)],
    ["Steps", textOf(training?.steps)],
    ["Best after", textOf(training?.bestStep)],
    ["Seed", textOf(seed)],
    ["Log-likelihood, held out", inNats(figures?.heldOutLogLikelihoodInNats)],
    ["ΔJ per pixel, held out", inNats(figures?.negentropyDifferenceInNatsPerPixel)],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "number" || typeof value === "string" ? String(value) : undefined;
}

function inNats(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${fixed(value, 4)} nats`;
}

/** A fit writes about 40 kB. */
const mostBytesOfMetrics = 2 ** 24;

async function metricsOf(file: File): Promise<FileFacts> {
  const { name, size } = file;
  if (size > mostBytesOfMetrics) {
    throw new GaussianizeError("unsupported-file", `${name} is too large for a metrics file.`);
  }
  const records = thinned(parseMetrics(await file.text()));
  if (records.length > 0) return { kind: "metrics", records };
  throw new GaussianizeError("unsupported-file", `${name} contains no metrics of a fit.`);
}

async function colourPicture(input: FileToCheck): Promise<FileFacts> {
  const { width, height } = await decodeSubject(input);
  return { kind: "colour picture", width, height };
}

async function greyPicture(input: FileToCheck): Promise<FileFacts> {
  const { file, patchSide = 1, pieces = "patches of the model" } = input;
  const { width, height } = await decodeInRange(input, "linear");
  const problem = tooSmall({ path: file.name, width, height }, patchSide, pieces);
  if (problem) throw new GaussianizeError("unusable-images", problem.reason);
  return { kind: "grey picture", width, height };
}

/** Side of the smallest patches that a fit accepts, in pixels. */
const smallestSide = 2;
/** In pixels; the page shows it at half this size. */
const thumbnailHeight = 96;

async function listedPicture(input: FileToCheck): Promise<FileFacts> {
  const { key, file, patchSide = smallestSide } = input;
  const open = (size: number) =>
    openImageSet(
      [file],
      { luminance: "linear", dequantize: false, layout: { size, removeMean: false } },
      { mostPixels },
    );
  // A picture must hold at least the smallest patches. If it does not, the error names the chosen
  // size.
  const set = await open(smallestSide).catch(() => open(patchSide));
  const [{ width, height }] = set.images;
  const { thumbnail, isFlat } = await thumbnailOf(file, width / height);
  // The thumbnail may hide weak structure, so only the picture itself decides.
  if (isFlat) requireStructure(await decodePicture({ key, file }), file.name);
  return { kind: "listed picture", width, height, thumbnail };
}

/** Rejects a picture of one colour: the densities of its patches would be infinite. */
function requireStructure({ pixels }: { pixels: ArrayLike<number> }, name: string): void {
  for (let k = 1; k < pixels.length; k++) if (pixels[k] !== pixels[0]) return;
  throw new GaussianizeError(
    "unusable-images",
    `${name} has the same grey value everywhere. Choose a picture with structure.`,
  );
}

interface Thumbnail {
  readonly thumbnail: Blob | null;
  /** All its pixels are equal, or unknown. */
  readonly isFlat: boolean;
}

async function thumbnailOf(file: File, aspect: number): Promise<Thumbnail> {
  if (/\.iml$/i.test(file.name)) return { thumbnail: null, isFlat: true };
  // Keeps panoramas recognizable.
  const width = Math.round(thumbnailHeight * Math.min(3, Math.max(0.5, aspect)));
  const size = { resizeWidth: width, resizeHeight: thumbnailHeight };
  try {
    const bitmap = await createImageBitmap(file, { ...size, resizeQuality: "medium" });
    const canvas = new OffscreenCanvas(width, thumbnailHeight);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context?.drawImage(bitmap, 0, 0);
    bitmap.close();
    const { data } = context?.getImageData(0, 0, width, thumbnailHeight) ?? { data: [] };
    const isFlat = data.every((value, k) => value === data[k % 4]);
    return { thumbnail: await canvas.convertToBlob(), isFlat };
  } catch (error) {
    const sentence = `Cannot read ${file.name} as a picture: it is damaged or in an unknown format.`;
    throw new GaussianizeError("file-damaged", sentence, { cause: error });
  }
}
