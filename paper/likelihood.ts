/** §4.2, "Average model likelihood": 8×8 patches of BSDS300, beside published values. */
import type { Evaluation } from "../src/evaluation/evaluation.js";
import type { ChartDocument } from "../src/figures/chart-options.js";
import { rankingChart } from "../src/figures/ranking-chart.js";
import type { ReportBlock } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { thousands } from "../src/numbers/format-number.js";
import type {
  Experiment,
  ExperimentResult,
  FitRequest,
  PaperContext,
  PaperFit,
  PaperNumber,
} from "./experiment.js";
import { evaluateFit } from "./parts/patch-models.js";
import {
  paperLikelihoods,
  publishedEntries,
  publishedLikelihoods,
  publishedSources,
  rankingSeries,
} from "./parts/published-likelihoods.js";

export const likelihood: Experiment = {
  name: "likelihood",
  title: "Average model likelihood",
  section: "§4.2, “Average model likelihood”",
  data: ["bsds300"],
  minutes: { full: 21, quick: 2 },
  run,
};

interface Row {
  readonly request: Pick<FitRequest, "name" | "model" | "layers" | "protocol" | "noise" | "steps">;
  readonly what: string;
  readonly unit: "nats" | "bits per pixel";
  readonly paper: number | null;
}

const dimensions63 = "63 dimensions";
const dimensions64 = "64 dimensions";

const rows: readonly Row[] = [
  {
    request: { name: "bsds63-ica-mg", model: "ica-mg", protocol: "bsds63", noise: true },
    what: dimensions63,
    unit: "nats",
    paper: paperLikelihoods["ica-mg"],
  },
  {
    request: { name: "bsds63-gdn", model: "gdn", protocol: "bsds63", noise: true },
    what: dimensions63,
    unit: "nats",
    paper: paperLikelihoods.gdn,
  },
  {
    request: { name: "bsds64-gdn", model: "gdn", protocol: "bsds64", noise: true },
    what: `${dimensions64}, with noise`,
    unit: "bits per pixel",
    paper: null,
  },
  {
    request: { name: "bsds64-gdn-no-noise", model: "gdn", protocol: "bsds64", noise: false },
    what: `${dimensions64}, without noise`,
    unit: "bits per pixel",
    paper: 3.47,
  },
  {
    // Beyond the paper: layers that are fitted together.
    request: {
      name: "bsds63-gdn-6-layers",
      model: "gdn",
      layers: 6,
      steps: 12_000,
      protocol: "bsds63",
      noise: true,
    },
    what: dimensions63,
    unit: "nats",
    paper: null,
  },
];

const fullPatches = 1_000_000;
const quickPatches = 50_000;
const quickSteps = 1000;
const quickLayers = 2;

async function run(context: PaperContext): Promise<ExperimentResult> {
  const { quick } = context;
  const patches = quick ? quickPatches : fullPatches;
  const test = await context.images("bsds300/test");
  const fits: PaperFit[] = [];
  const numbers: PaperNumber[] = [];
  for (const { request, what, unit, paper } of rows) {
    const fit = await context.fit({
      ...request,
      name: quick ? quickName(request.name) : request.name,
      set: "bsds300/train",
      heldOut: 0.1,
      ...(quick ? { steps: quickSteps } : {}),
      ...(quick && request.layers ? { layers: quickLayers } : {}),
    });
    fits.push(fit);
    const evaluation = await evaluateFit(context, fit, test, patches);
    const name = `log-likelihood of ${fit.title}, ${what}`;
    numbers.push({ name, unit, paper, fit, ...valueOf(evaluation, unit) });
  }
  return { fits, numbers, blocks: await blocksOf(context, numbers, patches) };
}

function quickName(name: string): string {
  return `embedded-${name}`.replace(/\d+-layers/, `${quickLayers}-layers`);
}

function valueOf(
  { meanLogLikelihood, bitsPerPixel, standardErrors: errors }: Evaluation,
  unit: Row["unit"],
): Pick<PaperNumber, "value" | "standardError"> {
  return unit === "nats"
    ? { value: meanLogLikelihood, standardError: errors.meanLogLikelihood }
    : { value: bitsPerPixel, standardError: errors.bitsPerPixel };
}

async function blocksOf(
  { document, quick }: PaperContext,
  numbers: readonly PaperNumber[],
  patches: number,
): Promise<ReportBlock[]> {
  const where = quick
    ? "one of the photographs that come with the package; the other seven are fitted to"
    : "the 100 test images, after fits to the 200 training images (20 of them for validation)";
  const errors = quick
    ? "patches, as if they were independent"
    : prose`
        images, which differ more than models do. For the difference of two models on the same
        patches it is far smaller
      `;
  const paragraph = prose`
    8×8 patches, without their mean (63 dimensions) or with it (64). Means over
    ${thousands(patches)} patches of ${where}. Grey values 0 … 255 with uniform noise in [0, 1)
    unless stated otherwise, divided by 256 (Uria, Murray & Larochelle 2013). ± is one standard
    error over ${errors}. Higher is better.
  `;
  if (quick) {
    return [
      { kind: "paragraph", text: paragraph },
      {
        kind: "paragraph",
        text: prose`
          The paper's values are for BSDS300. They cannot be compared with those of this photograph.
          The full run shows them, and those of other models, beside ours.
        `,
      },
    ];
  }
  const [, gdn63, gdn64] = numbers;
  const lost = gdn63.value - gdn64.value * 64 * Math.LN2;
  return [
    { kind: "paragraph", text: paragraph },
    {
      kind: "paragraph",
      text: prose`
        The paper does not say whether its 3.47 bits per pixel include dequantisation noise. Without
        noise, our fits exceed this value, and longer fits exceed it further, because flat areas are
        exactly flat. With noise, a GDN of one layer stays far below it: it has ${lost.toFixed(1)}
        nats less in the 64 dimensions than in the 63, and 3.47 bits per pixel would be 153.9 nats.
        So we conclude that the paper's value, like those for Kodak, is without noise. The value
        with noise is the more meaningful one.
      `,
    },
    await rankingOf(document, numbers),
    {
      kind: "paragraph",
      text: prose`
        Values that others report. The best of these models have many components, layers or
        ensembles. Values with an asterisk, and all bits per pixel, are from memory: check the
        source before you rely on them. The flows of the last two papers used their own sample of
        such patches. The other values for 64 dimensions assume that the mean of a patch is
        independent of the rest.
      `,
    },
    publishedTable(),
    publishedSources(),
  ];
}

async function rankingOf(
  document: ChartDocument,
  numbers: readonly PaperNumber[],
): Promise<ReportBlock> {
  const ours = numbers.flatMap(({ unit, fit, value, paper }) =>
    unit === "nats" && fit ? [{ title: fit.title, value, paper }] : [],
  );
  const entries = [
    ...ours.map(({ title, value }) => ({ label: `${title}, here`, value, series: 0 })),
    ...ours.flatMap(({ title, paper }) =>
      paper === null ? [] : [{ label: `${title}, paper`, value: paper, series: 1 }],
    ),
    ...publishedEntries(2),
  ];
  const svg = await rankingChart(document, {
    title: "BSDS300, 63 dimensions",
    entries,
    series: rankingSeries,
    xLabel: "mean log-likelihood (nats)",
    digits: 1,
  });
  return {
    kind: "figure",
    svg,
    caption: prose`
        Compared with models of many components or layers. A GDN of one layer is a single transform
        of 63 filters; several layers are stacked and fitted together. Asterisks: see below.
      `,
  };
}

function publishedTable(): ReportBlock {
  return {
    kind: "table",
    columns: [
      { label: "model" },
      { label: "63 dimensions", unit: "nats" },
      { label: "64 dimensions", unit: "bits per pixel" },
      { label: "source" },
    ],
    rows: publishedLikelihoods.map(({ model, nats, bitsPerPixel, isConfirmed, source }) => [
      model,
      `${nats.toFixed(source.digits)}${isConfirmed ? "" : "*"}`,
      bitsPerPixel?.toFixed(3) ?? "–",
      // Keep it on one line.
      source.short.replaceAll(" ", "\u00a0"),
    ]),
  };
}
