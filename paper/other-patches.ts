/** The ideas of `ideas.ts` on other patches: with their mean, and of 16×16 pixels. */
import { densityOf } from "../src/density/density-of.js";
import type { Evaluation } from "../src/evaluation/evaluation.js";
import type { Figure, ReportBlock } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { fixed, thousands } from "../src/numbers/format-number.js";
import type {
  Experiment,
  ExperimentResult,
  FitRequest,
  PaperContext,
  PaperFit,
  PaperNumber,
} from "./experiment.js";
import { sampleFigure, shownSamples } from "./parts/model-figures.js";
import { evaluateFit, patchSize, patchesFor } from "./parts/patch-models.js";

export const otherPatches: Experiment = {
  name: "other-patches",
  title: "The ideas on other patches",
  section: "§4.2, and models beyond it",
  data: ["bsds300", "kodak"],
  minutes: { full: 60, quick: 2 },
  isLong: true,
  run,
};

/** Patches for each value; fewer of 16×16 pixels, whose evaluation takes N³ operations. */
const patchCounts = {
  full: { small: 200_000, large: 24_000 },
  quick: { small: 4000, large: 2000 },
};
const quickSteps = 150;

type Request = Omit<FitRequest, "heldOut">;

/** 8×8 patches of BSDS300 with their mean, with dequantisation noise. */
function smallRequests({ quick }: PaperContext): readonly Request[] {
  const source = quick ? "embedded-" : "";
  const common = { model: "gdn", protocol: "bsds64", set: "bsds300/train", noise: true } as const;
  const [couplings, layers] = quick ? [16, 2] : [128, 4];
  const steps = quick ? quickSteps : 20_000;
  const sizes = `${layers}-layers-${couplings}-couplings-2-components-symmetric-${steps}-steps`;
  return [
    { ...common, name: `${source}bsds64-gdn`, ...(quick && { steps }) },
    {
      ...common,
      name: `${source}bsds64-gdn-${sizes}`,
      layers,
      couplings,
      components: 2,
      symmetric: true,
      gradient: "probes",
      learningRate: 0.02,
      steps,
    },
  ];
}

/** The paper's patches of Kodak, without dequantisation noise. */
function largeRequests(context: PaperContext): readonly Request[] {
  const { quick } = context;
  const size = patchSize(context);
  const source = `${quick ? "embedded" : "kodak"}${size}-gdn`;
  const common = { model: "gdn", patch: size, set: "kodak", noise: false } as const;
  const [layers, steps] = quick ? [2, quickSteps] : [3, 6000];
  return [
    { ...common, name: `${source}-held-out`, ...(quick && { steps }) },
    {
      ...common,
      name: `${source}-${layers}-layers-symmetric-${steps}-steps`,
      layers,
      symmetric: true,
      steps,
    },
  ];
}

/** A fit and its evaluations; `heldOut` only where the images of the fit are also evaluated. */
interface Evaluated {
  readonly fit: PaperFit;
  readonly value: PaperNumber;
  readonly heldOut: PaperNumber | null;
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const small: Evaluated[] = [];
  for (const request of smallRequests(context)) small.push(await evaluateSmall(context, request));
  const large: Evaluated[] = [];
  for (const request of largeRequests(context)) large.push(await evaluateLarge(context, request));
  const all = [...small, ...large];
  return {
    fits: all.map(({ fit }) => fit),
    numbers: all.flatMap(({ value, heldOut }) => (heldOut ? [value, heldOut] : [value])),
    hasTable: true,
    blocks: await blocksOf(context, small, large),
  };
}

async function evaluateSmall(context: PaperContext, request: Request): Promise<Evaluated> {
  const fit = await context.fit({ ...request, heldOut: 0.1 });
  const test = await context.images("bsds300/test");
  const { bitsPerPixel, standardErrors } = await evaluateFit(context, fit, test, small(context));
  const value = {
    name: `log-likelihood of ${fit.title}, 64 dimensions, with noise`,
    value: bitsPerPixel,
    standardError: standardErrors.bitsPerPixel,
    unit: "bits per pixel",
    paper: null,
    fit,
  };
  return { fit, value, heldOut: null };
}

async function evaluateLarge(context: PaperContext, request: Request): Promise<Evaluated> {
  const fit = await context.fit({ ...request, heldOut: 0.1 });
  const evaluated = async (images: readonly string[], where: string): Promise<PaperNumber> => {
    const evaluation = await evaluateFit(context, fit, images, large(context));
    return negentropyNumber(fit, evaluation, where);
  };
  return {
    fit,
    value: await evaluated(fit.images, "images of the fit"),
    heldOut: await evaluated(fit.heldOut, "held-out images"),
  };
}

function negentropyNumber(fit: PaperFit, evaluation: Evaluation, where: string): PaperNumber {
  const { negentropyDifferencePerDimension: value, standardErrors: errors } = evaluation;
  return {
    name: `ΔJ of ${fit.title}, without noise, ${where}`,
    value,
    standardError: errors.negentropyDifferencePerDimension,
    unit: "nats per pixel",
    paper: null,
    fit,
  };
}

function small({ quick }: PaperContext): number {
  return patchCounts[quick ? "quick" : "full"].small;
}

function large({ quick }: PaperContext): number {
  return patchCounts[quick ? "quick" : "full"].large;
}

async function blocksOf(
  context: PaperContext,
  ofSmall: readonly Evaluated[],
  ofLarge: readonly Evaluated[],
): Promise<ReportBlock[]> {
  const size = patchSize(context);
  return [
    {
      kind: "paragraph",
      text: prose`
        8×8 patches with their mean, with dequantisation noise: means over
        ${thousands(small(context))} patches of test images.
      `,
    },
    {
      kind: "table",
      columns: [
        { label: "model" },
        { label: "log-likelihood", unit: "bits per pixel" },
        { label: "fit", unit: "minutes", digits: 1 },
      ],
      rows: ofSmall.map(({ fit, value }) => [fit.title, textOf(value), fit.seconds / 60]),
    },
    {
      kind: "paragraph",
      text: prose`
        ${size}×${size} patches without dequantisation noise: ΔJ on ${thousands(large(context))}
        patches of the images of the fit, as in the paper, and of images that were held out. ± is
        one standard error over images. The few held-out images differ from the others, so compare
        values of one column.
      `,
    },
    {
      kind: "table",
      columns: [
        { label: "model" },
        { label: "ΔJ, images of the fit", unit: "nats per pixel" },
        { label: "ΔJ, held-out images", unit: "nats per pixel" },
        { label: "fit", unit: "minutes", digits: 1 },
      ],
      rows: ofLarge.map(({ fit, value, heldOut }) => [
        fit.title,
        textOf(value),
        heldOut ? textOf(heldOut) : "–",
        fit.seconds / 60,
      ]),
    },
    await samplesOf(context, ofLarge),
  ];
}

function textOf({ value, standardError }: PaperNumber): string {
  const error = Number.isFinite(standardError) ? Number(standardError).toFixed(3) : "?";
  return `${fixed(value, 3)}\u00a0±\u00a0${error}`;
}

async function samplesOf(
  context: PaperContext,
  ofLarge: readonly Evaluated[],
): Promise<ReportBlock> {
  const { runner, seed, signal } = context;
  const [{ fit: first }] = ofLarge;
  const photographs = await patchesFor(context, first, shownSamples, "samples");
  const figures: Figure[] = [sampleFigure("Photographs", photographs)];
  for (const { fit } of ofLarge) {
    const drawn = await densityOf(fit.model, runner).sample(shownSamples, { seed, signal });
    figures.push(sampleFigure(fit.title, Float32Array.from(drawn)));
  }
  return {
    kind: "figures",
    figures,
    caption: prose`
      ${shownSamples} random patches of the images of the fit, and ${shownSamples} draws from each
      density, seed ${seed}. All have the same grey scale.
    `,
  };
}
