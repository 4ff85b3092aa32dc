/**
 * What is proven about the invertibility of a cascade of whole images, and what was observed on
 * one.
 */
import { GaussianizeError } from "../../errors.js";
import { type GreyPixels, centralCrop } from "../../images/grey-image.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import { convolutionDeterminant } from "../../transforms/convolutions/determinant.js";
import { applyConvolution } from "../../transforms/convolutions/products.js";
import { type Field, type GridSize, imageToField } from "../../transforms/field.js";
import {
  type CascadePart,
  type ImageCascade,
  partsOf,
  requireImageCascade,
} from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { gaussianize } from "../induced-density.js";
import { type ImageOptions, gaussianizeImage } from "../images/image-density.js";
import { synthesizeImage } from "../images/image-synthesis.js";
import { type DeterminantCheck, checkDeterminant, mostDensePixels } from "./jacobian-of-image.js";
import { short, thousands } from "./sentences.js";
import { type StageVerification, type Verification, verifyPart } from "./verify.js";

export interface ConvolutionVerification extends GridSize {
  readonly kind: "convolution";
  /**
   * On fields of width × height locations; at 0 the convolution cannot be inverted. Null without a
   * grid.
   */
  readonly smallestSingularValue: number | null;
}

export interface RoundTrip {
  /** Of x − g⁻¹(g(x)) over all pixels. */
  readonly largestError: number;
  /** Locations, over all stages, whose inverse was not found. */
  readonly unconverged: number;
}

export interface ImageVerification extends Pick<
  Verification,
  "certificate" | "certified" | "cycleMean" | "invertible" | "proven" | "observed" | "notes"
> {
  readonly stages: readonly (StageVerification | ConvolutionVerification)[];
  /**
   * Of all convolutions, on the grid of the image or the one that was asked for; null where there
   * is neither.
   */
  readonly smallestSingularValue: number | null;
  /** Null without an image, as is the next; or where the image has no density. */
  readonly roundTrip: RoundTrip | null;
  /** On 3×3 blocks from the middle of the image; null where those have too many pixels. */
  readonly determinant: DeterminantCheck | null;
  /** Whether all that was looked at is as it must be. */
  readonly passed: boolean;
}

export interface ImageVerificationOptions extends ImageOptions {
  /** In locations: for the singular values of convolutions where there is no image. */
  readonly grid?: GridSize;
  /**
   * At most so many locations of the image are looked at for the pivots of each normalization,
   * default 1000.
   */
  readonly locations?: number;
}

/** Of the largest pixel: Float32 with a badly conditioned filter bank is still far below. */
const largestRoundTrip = 0.01;
/**
 * In nats for each pixel: differences have about eight digits, fewer where an exponent below 2
 * bends a curve.
 */
const largestDifference = 1e-5;
/** Blocks along each side of the image whose Jacobian is written out. */
const denseBlocks = 3;

/**
 * Without an image only what the parameters tell; with one, its round trip, its determinant and
 * what each stage gets to see.
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
  /** Of a run of stages that apply to each location alike. */
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
      x = x && applyConvolution(runner.kernels, transform, x);
      continue;
    }
    const samples = x && someLocations(x, locations);
    const found = await verifyPart(runner, transform, samples, first, options);
    findings.push({ found, sentences: found.observed.map((text) => ofLocations(text)) });
    x = x && (await fieldAfter(runner, part, x, options));
  }
  return findings;
}

/** A sample is a location here. */
function ofLocations(sentence: string): string {
  return sentence.replaceAll("samples", "locations").replaceAll("at sample", "at location");
}

/** Null where a location has no density: those after it are not looked at. */
async function fieldAfter(
  runner: TaskRunner,
  { transform }: CascadePart,
  x: Field,
  options?: ImageOptions,
): Promise<Field | null> {
  if (transform.kind === "convolution") return applyConvolution(runner.kernels, transform, x);
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
    return {
      convolution: { kind, width: 0, height: 0, smallestSingularValue: null },
      sentences: [],
    };
  }
  const { width, height } = grid;
  const { smallestSingularValue } = convolutionDeterminant(convolution, { width, height });
  const where = `stage ${stage} (convolution)`;
  const on = `on ${width}×${height} locations`;
  const sentence =
    smallestSingularValue > 0
      ? `Computed: ${where} is invertible ${on}: its smallest singular value is ${short(smallestSingularValue)}.`
      : `Computed: ${where} is singular ${on}: some images have no trace in its output.`;
  return {
    convolution: { kind, width, height, smallestSingularValue },
    sentences: [sentence],
  };
}

/** Evenly over the whole field. */
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
  const options = signal && { signal };
  const { y } = await gaussianizeImage(runner, cascade, image, options);
  const back = await synthesizeImage(runner, cascade, y, options);
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

/**
 * Null where the Jacobian would be too large to be written out, or the few blocks have no density
 * of their own.
 */
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
