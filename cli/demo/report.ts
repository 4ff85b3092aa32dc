/** The report of the demo, one HTML page. */
import type { Evaluation } from "../../src/evaluation/evaluation.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { type ReportBlock, pictureOf } from "../../src/figures/report-blocks.js";
import type { Text } from "../../src/figures/report-text.js";
import { type Report, type ReportSection, reportPage } from "../../src/figures/report.js";
import { fixed, fixedChange, measured, thousands } from "../../src/numbers/format-number.js";
import { gallery } from "../pictures.js";
import { type DemoData, patchSize } from "./data.js";
import { type DemoDenoising, denoisingSection } from "./denoising.js";
import { type DemoFit, differenceOf, testPatches } from "./fits.js";
import { type DemoHistograms, histogramSection } from "./histograms.js";
import { curveSection, filterSection, sampleSection } from "./report-models.js";

export interface DemoOutcome {
  readonly data: DemoData;
  readonly fits: readonly DemoFit[];
  readonly denoising: DemoDenoising;
  readonly histograms: DemoHistograms;
  /** Contribution of each response of the GDN to the divisors of all. */
  readonly contributions: Float64Array;
  /** 25 patches in linear light of the data, then of each model. */
  readonly samples: readonly { readonly title: string; readonly values: Float32Array }[];
  /** Command that repeats the demo. */
  readonly command: string;
  readonly provenance: readonly (readonly [name: string, value: Text])[];
}

const galleryWidth = 912;
const perRow = 4;
const paper = "https://arxiv.org/abs/1511.06281";

export async function demoReport(document: ChartDocument, outcome: DemoOutcome): Promise<string> {
  const report: Report = {
    title: "Three densities of photographs",
    lead: leadOf(outcome),
    opening: [highlights(outcome), ...howToRead],
    sections: [
      photographSection(outcome.data),
      comparisonSection(outcome),
      await curveSection(document, outcome.fits),
      filterSection(outcome.fits, outcome.contributions),
      sampleSection(outcome.samples),
      await histogramSection(document, outcome.histograms),
      denoisingSection(outcome.denoising, outcome.data.heldOut),
      originSection(outcome),
    ],
  };
  return reportPage(report);
}

function leadOf({ fits, data }: DemoOutcome): string {
  const [best] = [...fits].sort((a, b) => differenceOf(a) - differenceOf(b));
  return `ICA-MG, radial Gaussianization and GDN, fitted to ${patchSize}×${patchSize} patches of ${data.training.length} photographs and compared on a photograph that none of them has seen. ${best.title} makes it most Gaussian.`;
}

function highlights({ fits, denoising }: DemoOutcome): ReportBlock {
  const { psnrNoisy, psnrDenoised } = denoising;
  return {
    kind: "highlights",
    items: [
      ...fits.map((fit) => ({
        label: `${fit.title}: ΔJ in nats per pixel`,
        value: fixed(differenceOf(fit), 2),
      })),
      {
        label: "GDN against noise: PSNR",
        value: fixedChange(psnrDenoised - psnrNoisy, 1),
        unit: "dB",
      },
    ],
  };
}

const howToRead: readonly ReportBlock[] = [
  {
    kind: "paragraph",
    text: [
      { strong: "How to read it. " },
      "Each model is an invertible transform y = g(x) of a patch x, fitted to make y as close to standard normal as possible. The normal density of y, pulled back through g, is then a density of patches: exact, with samples and a gradient. ",
      { strong: "ΔJ" },
      " says how much closer to normal y is than x (change of negentropy, eq. 4 of the ",
      { link: "paper by Ballé, Laparra and Simoncelli", href: paper },
      "): the lower, the better the density. A ΔJ lower by 0.1 nats per pixel makes a patch of 64 pixels about 600 times as likely.",
    ],
  },
];

function photographSection({ photographs, displayed, heldOut }: DemoData): ReportSection {
  const image = gallery(displayed, galleryWidth, perRow, 6);
  const names = photographs.map(({ title }) => title).join("; ");
  return {
    title: "The photographs",
    blocks: [
      {
        kind: "figures",
        figures: [pictureOf(image, `Small pictures of ${names}.`)],
        caption: [
          "They come with the package. Seven are for the fits; ",
          { strong: `“${heldOut.title}”` },
          ", the last one, is held out for the comparison and for denoising. None is saturated (§6.3), so none was skipped.",
        ],
      },
      {
        kind: "details",
        summary: "Titles and credits",
        entries: photographs.map(({ title, credit }) => [title, credit] as const),
      },
    ],
  };
}

function comparisonSection({ fits }: DemoOutcome): ReportSection {
  return {
    title: "Which density fits best",
    blocks: [
      {
        kind: "paragraph",
        text: `On ${thousands(testPatches)} random patches of the held-out photograph; ± is one standard error over these patches. Lower ΔJ, higher log-likelihood and fewer bits are better.`,
      },
      {
        kind: "table",
        columns: [
          { label: "model" },
          { label: "ΔJ", unit: "nats per pixel" },
          { label: "log-likelihood", unit: "nats per patch" },
          { label: "code length", unit: "bits per pixel", digits: 3 },
          { label: "steps" },
          { label: "fit", unit: "seconds", digits: 1 },
        ],
        rows: fits.map(({ title, evaluation, steps, seconds }) => [
          title,
          ...valuesOf(evaluation),
          evaluation.codeLengthInBitsPerPixel ?? NaN,
          steps,
          seconds,
        ]),
      },
      {
        kind: "paragraph",
        text: [
          { strong: "ICA-MG" },
          " filters a patch and normalises each response alone: right if responses were independent. ",
          { strong: "RG" },
          " whitens it and divides all responses by a function of their common norm: right if contours of equal probability were ellipsoids. ",
          { strong: "GDN" },
          " learns filters and divides each response by a pool of all of them, with learned weights γ: it contains both. The code length is what a lossless coder would need for the 8-bit codes of the files.",
        ],
      },
    ],
  };
}

/** Returns ΔJ and log-likelihood with their errors, which narrow screens must not break. */
function valuesOf({ standardErrors: errors, ...values }: Evaluation): string[] {
  return [
    measured(values.negentropyDifferencePerDimension, errors.negentropyDifferencePerDimension),
    measured(values.meanLogLikelihood, errors.meanLogLikelihood),
  ].map((text) => text.replaceAll(" ", "\u00a0"));
}

function originSection({
  command,
  provenance,
}: Pick<DemoOutcome, "command" | "provenance">): ReportSection {
  return {
    title: "Repeat it, and continue",
    blocks: [
      {
        kind: "code",
        code: [
          `${command} --save gdn.safetensors    # save the GDN`,
          "npx gaussianize sample gdn.safetensors -o samples.png",
          "npx gaussianize fit photos/ -o runs/mine    # your own photographs",
        ].join("\n"),
      },
      { kind: "details", summary: "Where the numbers come from", entries: provenance },
    ],
  };
}
