/**
 * Verifies the invertibility of a cascade of whole images: proven facts, and findings on an image.
 */
import { GaussianizeError } from "../../errors.js";
import { type GreyPixels, centralCrop } from "../../images/grey-image.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import { convolutionDeterminant } from "../../transforms/convolutions/determinant.js";
import { type Field, type GridSize, imageToField } from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { gaussianize } from "../induced-density.js";
import { convolvedField } from "../images/convolution-products.js";
import { type ImageOptions, gaussianizeImage } from "../images/image-density.js";
import { synthesizeImage } from "../images/image-synthesis.js";
import { type DeterminantCheck, checkDeterminant, mostDensePixels } from "./jacobian-of-image.js";
import { short, thousands } from "./sentences.js";
import { type StageVerification, type Verification, verifyPart } from "./verify.js";

export interface ConvolutionVerification extends GridSize {
  readonly kind: "convolution";
  /** Smallest singular value on width × height locations, 0 if singular; null without a grid. */
  readonly smallestSingularValue: number | null;
}

export interface RoundTrip {
  /** Largest |x − g⁻¹(g(x))| of all pixels. */
  readonly largestError: number;
  /** Number of locations, over all stages, without an inverse. */
  readonly unconverged: number;
}

export interface ImageVerification extends Pick<
  Verification,
  "certificate" | "certified" | "cycleMean" | "invertible" | "proven" | "observed" | "notes"
> {
  readonly stages: readonly (StageVerification | ConvolutionVerification)[];
  /** Smallest singular value of all convolutions, on the image or `grid`; null without both. */
  readonly smallestSingularValue: number | null;
  /** Null without an image, or if the image has no density. */
  readonly roundTrip: RoundTrip | null;
  /** Check on 3×3 blocks from the middle of the image; null if they have too many pixels. */
  readonly determinant: DeterminantCheck | null;
  /** Whether all checks passed. */
  readonly passed: boolean;
}

export interface ImageVerificationOptions extends ImageOptions {
  /** Locations to compute singular values of convolutions on, if no image is given. */
  readonly grid?: GridSize;
  /** Most locations of an image to check the pivots of a normalization at; default 1000. */
  readonly locations?: number;
}

/** Largest error of a round trip, relative to the largest pixel; usual errors are far smaller. */
const largestRoundTrip = 0.01;
/** Largest difference of determinants in nats per pixel; differences have about eight digits. */
const largestDifference = 1e-5;
/** Blocks along each side of the image with the dense Jacobian. */
const denseBlocks = 3;

/**
 * Reports what the parameters prove, and with an image also its round trip, its determinant and
 * what is observed at each stage.
 */
export async function verifyImageCascade(
  runner: TaskRunner,
  given: ImageCascade,
  image: GreyPixels | null,
  options: ImageVerificationOptions = {},
): Promise<ImageVerification> {
  checkCall(runner, options, "grid", "locations");
  const cascade = requireImageCascade(given);
  const field = image && imageToField(image, cascade.stride);
  const grid = field ?? options.grid ?? null;
  const parts = await lookAtParts(runner, cascade, field, grid, options);
  const verified = parts.flatMap(({ found }) => (found ? [found] : []));
  const stages = parts.flatMap(({ found, convolution }): ImageVerification["stages"] =>
    convolution ? [convolution] : (found?.stages ?? []),
  );
  const singular = parts.flatMap(({ convolution }) => convolution?.smallestSingularValue ?? []);
  const smallestSingularValue = singular.length > 0 ? Math.min(...singular) : null;
  const invertible =
    verified.every((part) => part.invertible) && singular.every((value) => value > 0);
  const hasDensity = verified.every((part) => part.failedSamples + part.outsideSamples === 0);
  const onImage =
    image && invertible && hasDensity ? await lookAtImage(runner, cascade, image, options) : null;
  const sentences = parts.flatMap((part) => part.sentences);
  return {
    certificate: largestOf(verified.map((part) => part.certificate)),
    certified: verified.every((part) => part.certified),
    cycleMean: largestOf(verified.map((part) => part.cycleMean)),
    invertible,
    stages,
    smallestSingularValue,
    roundTrip: onImage?.roundTrip ?? null,
    determinant: onImage?.determinant ?? null,
    passed: invertible && hasDensity && (onImage?.passed ?? true),
    proven: verified.flatMap((part) => part.proven),
    observed: [...sentences, ...(onImage?.sentences ?? [])],
    notes: verified.flatMap((part) => part.notes.map((text) => ofLocations(text))),
  };
}

function largestOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

interface PartFindings {
  /** Findings on consecutive stages that are not convolutions. */
  readonly found?: Verification;
  readonly convolution?: ConvolutionVerification;
  readonly sentences: readonly string[];
}

async function lookAtParts(
  runner: TaskRunner,
  cascade: ImageCascade,
  field: Field | null,
  grid: GridSize | null,
  { signal, locations = 1000 }: ImageVerificationOptions,
): Promise<PartFindings[]> {
  const findings: PartFindings[] = [];
  const options = signal && { signal };
  let x = field;
  for (const part of partsOf(cascade)) {
    signal?.throwIfAborted();
    const { transform, first } = part;
    if (transform.kind === "convolution") {
      findings.push(lookAtConvolution(transform, first, grid));
      x = x && (await convolvedField(runner, transform, x, options));
      continue;
    }
    const samples = x && someLocations(x, locations);
    const found = await verifyPart(runner, transform, samples, first, options);
    findings.push({ found, sentences: found.observed.map((text) => ofLocations(text)) });
    x = x && (await fieldAfter(runner, part, x, options));
  }
  return findings;
}

/** Replaces "samples" by "locations". */
function ofLocations(sentence: string): string {
  return sentence.replaceAll("samples", "locations").replaceAll("at sample", "at location");
}

/** Returns null if a location has no density; later stages are then skipped. */
async function fieldAfter(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: Field,
  options?: ImageOptions,
): Promise<Field | null> {
  if (transform.kind === "convolution") return convolvedField(runner, transform, x, options);
  try {
    const { y } = await gaussianize(runner, transform, x.values, options);
    return { ...x, values: y };
  } catch (error) {
    if (error instanceof GaussianizeError) return null;
    throw error;
  }
}

function lookAtConvolution(
  convolution: Convolution,
  stage: number,
  grid: GridSize | null,
): PartFindings {
  const kind = "convolution";
  if (!grid) {
    const unknown = { kind, width: 0, height: 0, smallestSingularValue: null } as const;
    return { convolution: unknown, sentences: [] };
  }
  const { width, height } = grid;
  const { smallestSingularValue } = convolutionDeterminant(convolution, { width, height });
  const where = `stage ${stage} (convolution)`;
  const on = `on ${width}×${height} locations`;
  const sentence =
    smallestSingularValue > 0
      ? `Computed: ${where} is invertible ${on}: its smallest singular value is ${short(smallestSingularValue)}.`
      : `Computed: ${where} is singular ${on}: its output does not determine the image.`;
  return {
    convolution: { kind, width, height, smallestSingularValue },
    sentences: [sentence],
  };
}

/** Returns at most `most` locations, evenly spaced over the field. */
function someLocations({ values, maps }: Field, most: number): FloatArray {
  const count = values.length / maps;
  if (count <= most) return values;
  const some = new Float64Array(most * maps);
  for (let k = 0; k < most; k++) {
    const from = Math.floor((k * count) / most) * maps;
    some.set(values.subarray(from, from + maps), k * maps);
  }
  return some;
}

async function lookAtImage(
  runner: TaskRunner,
  cascade: ImageCascade,
  image: GreyPixels,
  { signal }: ImageVerificationOptions,
) {
  const { y } = await gaussianizeImage(runner, cascade, image, { signal });
  const back = await synthesizeImage(runner, cascade, y, { signal });
  const { pixels } = image;
  let [largestError, largest] = [0, 0];
  for (let k = 0; k < pixels.length; k++) {
    largestError = Math.max(largestError, Math.abs(back.image.pixels[k] - pixels[k]));
    largest = Math.max(largest, Math.abs(pixels[k]));
  }
  const { unconverged } = back;
  const determinant = await smallDeterminant(cascade, image, signal);
  const isBack = unconverged === 0 && largestError <= largestRoundTrip * largest;
  const isSame = !determinant || differenceOf(determinant) <= largestDifference;
  return {
    roundTrip: { largestError, unconverged },
    determinant,
    passed: isBack && isSame,
    sentences: [
      ...(unconverged > 0
        ? [`Observed: the inverse was not found at ${thousands(unconverged)} locations.`]
        : []),
      `Observed: g⁻¹(g(x)) is x to ${short(largestError)} over all ${thousands(pixels.length)} pixels${isBack ? "" : ", which is not the same image"}.`,
      ...determinantSentence(determinant, isSame),
    ],
  };
}

function differenceOf({ logDeterminant, byDifferences, width, height }: DeterminantCheck): number {
  return Math.abs(logDeterminant - byDifferences) / (width * height);
}

function determinantSentence(found: DeterminantCheck | null, isSame: boolean): string[] {
  if (!found) return [];
  const { logDeterminant, byDifferences, width, height } = found;
  const what = `the log-determinant of the middle ${width}×${height} pixels`;
  const values = `${logDeterminant.toFixed(6)} nats, by the dense Jacobian of central differences ${byDifferences.toFixed(6)}`;
  return [
    `Observed: ${what} is ${values.replaceAll("-", "−")}${isSame ? "" : ": they do not agree"}.`,
  ];
}

/** Returns null if the Jacobian is too large, or if the blocks have no density. */
async function smallDeterminant(
  cascade: ImageCascade,
  { width, height, pixels }: GreyPixels,
  signal?: AbortSignal,
): Promise<DeterminantCheck | null> {
  const { stride } = cascade;
  const [across, down] = [width, height].map((side) =>
    Math.min(denseBlocks, Math.floor(side / stride)),
  );
  const most = { width: across * stride, height: down * stride };
  if (most.width * most.height > mostDensePixels) return null;
  const part = centralCrop({ width, height, pixels: Float32Array.from(pixels) }, most);
  try {
    return await checkDeterminant(cascade, part, signal);
  } catch (error) {
    if (error instanceof GaussianizeError) return null;
    throw error;
  }
}
