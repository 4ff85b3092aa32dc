/** §4.2, "Marginal/radial distributions of transformed data", and its figure with histograms. */
import { gaussianize } from "../src/density/induced-density.js";
import type { Model } from "../src/density/model-files/model.js";
import {
  type Gaussianity,
  componentGaussianity,
  leastGaussianDirections,
  lengthGaussianity,
} from "../src/evaluation/gaussianity.js";
import { chiDistribution, standardNormal } from "../src/evaluation/reference-densities.js";
import { type HistogramSeries, histogramChart } from "../src/figures/histogram-chart.js";
import type { ReportBlock } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { withMinus, thousands } from "../src/numbers/format-number.js";
import type {
  Experiment,
  ExperimentResult,
  PaperContext,
  PaperFit,
  PaperNumber,
} from "./experiment.js";
import { fitPatchModels, patchWords, patchesFor } from "./parts/patch-models.js";

/** Patches of the histograms; other patches determine the directions, to avoid overfitting. */
const shownPatches = 20_000;
const patchesForDirections = 10_000;
const iterationsForDirections = 25;

export const distributions: Experiment = {
  name: "distributions",
  title: "Marginal and radial distributions of transformed data",
  section: "§4.2, “Marginal/radial distributions”, figure with histograms",
  data: ["kodak"],
  minutes: { full: 5, quick: 1.5 },
  run,
};

interface Measured {
  readonly fit: PaperFit<Model>;
  readonly length: Gaussianity;
  /** For the components of y. */
  readonly components: Gaussianity;
  /** For y along the directions that independent component analysis finds. */
  readonly directions: Gaussianity;
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const fits = await fitPatchModels(context);
  const measured: Measured[] = [];
  const report = context.progress("distributions of y", fits.length);
  for (const fit of fits) {
    measured.push(await measure(context, fit));
    report(measured.length);
  }
  return {
    fits,
    numbers: measured.flatMap(numbersOf),
    hasTable: true,
    blocks: [
      ...(await figuresOf(context, measured)),
      aboutTable,
      tableOf(measured),
      summaryOf(measured),
    ],
  };
}

async function measure(context: PaperContext, fit: PaperFit<Model>): Promise<Measured> {
  const { runner, signal, seed } = context;
  const { transform } = fit.model;
  const n = transform.dimension;
  const shown = await patchesFor(context, fit, shownPatches, "histograms");
  const others = await patchesFor(context, fit, patchesForDirections, "directions");
  const { y } = await gaussianize(runner, transform, shown, { signal });
  const { y: ofOthers } = await gaussianize(runner, transform, others, { signal });
  const directions = await leastGaussianDirections(runner.kernels, ofOthers, n, {
    maximumIterations: iterationsForDirections,
    seed,
    signal,
  });
  const { y: turned } = await gaussianize(runner, directions, y, { signal });
  return {
    fit,
    length: lengthGaussianity(y, n),
    components: componentGaussianity(y, n),
    directions: componentGaussianity(turned, n),
  };
}

function numbersOf({ fit, length, components, directions }: Measured): PaperNumber[] {
  const of = (name: string, value: number, unit: string): PaperNumber => ({
    name: `${name}, ${fit.title}`,
    value,
    unit,
    fit,
    standardError: null,
    paper: null,
  });
  const each = (what: string, { divergence, ...others }: Gaussianity): PaperNumber[] => [
    of(`KL divergence of ${what}`, divergence, "nats"),
    of(`Kolmogorov–Smirnov distance of ${what}`, others.kolmogorovSmirnov, ""),
  ];
  return [
    ...each("‖y‖ from χ", length),
    ...each("components from normal", components),
    of("excess kurtosis of components", components.excessKurtosis, ""),
    ...each("ICA directions from normal", directions),
    of("excess kurtosis of ICA directions", directions.excessKurtosis, ""),
  ];
}

async function figuresOf(
  { document, quick }: PaperContext,
  measured: readonly Measured[],
): Promise<ReportBlock[]> {
  const n = measured[0].fit.model.transform.dimension;
  const [icaMg, rg, gdn] = measured;
  const series = (of: "length" | "components" | "directions", some: readonly Measured[]) =>
    some.map((each): HistogramSeries => {
      const { histogram } = each[of];
      // GDN first, as in all charts of the report.
      return { label: each.fit.title, histogram, colour: [gdn, rg, icaMg].indexOf(each) };
    });
  const ordinate = { logarithmic: true, expected: standardNormal };
  const radial = {
    series: series("length", [gdn, icaMg]),
    expected: chiDistribution(n),
    xLabel: "‖y‖",
  };
  return [
    {
      kind: "figures",
      figures: [
        {
          svg: await histogramChart(document, {
            title: "Radial component: ICA-MG and GDN",
            ...radial,
          }),
          caption: prose`
            Top of the paper's figure. ‖y‖ of a normal vector has the χ distribution with ${n}
            degrees of freedom. ICA-MG does not model the dependence of its responses: where one is
            large, others are large too.
          `,
        },
        {
          svg: await histogramChart(document, {
            title: "The same, tails",
            ...radial,
            logarithmic: true,
          }),
          caption: "The same on a logarithmic axis.",
        },
        {
          svg: await histogramChart(document, {
            title: "Marginals: RG and GDN, in their own bases",
            ...ordinate,
            series: series("components", [gdn, rg]),
            xLabel: "component of y",
          }),
          caption: prose`
              Bottom of the paper's figure: all components of y together. The density of RG does not
              change when y is rotated, so its basis is arbitrary. Its components are mixtures, and
              mixtures look Gaussian.
            `,
        },
        {
          svg: await histogramChart(document, {
            title: "Marginals along the directions that ICA finds",
            ...ordinate,
            series: series("directions", [gdn, rg]),
            xLabel: "y along a direction, scaled to variance 1",
          }),
          caption: prose`
              A normal vector is normal in every basis. This is the basis in which y is least
              normal. RG leaves heavy tails, which its own basis hides.
            `,
        },
      ],
      caption: prose`
        Responses to ${thousands(shownPatches)} ${patchWords({ quick })}. Dashed: the distribution
        of perfectly Gaussianized patches.
      `,
    },
  ];
}

/** A paragraph, since on a phone a caption would be as wide as its table. */
const aboutTable: ReportBlock = {
  kind: "paragraph",
  text: prose`
    Distances from the expected distributions: Kullback–Leibler divergence (of histograms, after
    bias correction), excess kurtosis, Kolmogorov–Smirnov distance. Values are means over the
    components. The paper shows histograms without numbers.
  `,
};

function tableOf(measured: readonly Measured[]): ReportBlock {
  const significant = (value: number): string => withMinus(value.toPrecision(2));
  return {
    kind: "table",
    columns: [
      { label: "model" },
      { label: "‖y‖", unit: "KL, nats" },
      { label: "‖y‖", unit: "KS" },
      { label: "own basis", unit: "KL, nats" },
      { label: "own basis", unit: "kurtosis" },
      { label: "own basis", unit: "KS" },
      { label: "ICA basis", unit: "KL, nats" },
      { label: "ICA basis", unit: "kurtosis" },
      { label: "ICA basis", unit: "KS" },
    ],
    rows: measured.map(({ fit, length, components, directions }) => [
      fit.title,
      ...[length.divergence, length.kolmogorovSmirnov].map(significant),
      ...[components, directions].flatMap((of) =>
        [of.divergence, of.excessKurtosis, of.kolmogorovSmirnov].map(significant),
      ),
    ]),
  };
}

function summaryOf([icaMg, rg, gdn]: readonly Measured[]): ReportBlock {
  const times = (more: Gaussianity, less: Gaussianity): string =>
    (more.divergence / less.divergence).toPrecision(2);
  return {
    kind: "paragraph",
    text: prose`
      The radial divergence of ICA-MG is ${times(icaMg.length, gdn.length)} times that of GDN. The
      marginal divergence of RG is ${times(rg.components, gdn.components)} times that of GDN in
      their own bases, and ${times(rg.directions, gdn.directions)} times along the directions of
      ICA. RG models only the radial part (${rg.length.divergence.toPrecision(2)} nats; GDN
      ${gdn.length.divergence.toPrecision(2)}), at the expense of the marginals.
    `,
  };
}
