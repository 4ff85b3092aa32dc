import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { chiDistribution, standardNormal } from "../../../src/evaluation/reference-densities.js";
import { compact, fixed, thousands } from "../../../src/numbers/format-number.js";
import { Chart } from "../../components/charts/chart.js";
import { histogramSeries } from "../../components/charts/histogram-series.js";
import { Check } from "../../components/controls.js";
import { Wide } from "../../components/panel.js";
import { useJob } from "../../use-task.js";
import type { PatchHistograms } from "./histograms-job.js";
import { JobOutput } from "./job-output.js";
import { type ModelSource, type ViewProps, keyOfModel } from "./model-source.js";
import { histogramPatches, modelNames } from "./settings.js";

const height = 300;

export function HistogramsView({ state, change, model, picture }: ViewProps): VNode {
  const { seed, beside, scale } = state;
  const models = beside === "all" ? withOthers(model) : [model];
  const job = useJob("measureHistograms", picture && { models, picture, seed });
  const isLog = scale === "log";
  const figures = (found: readonly PatchHistograms[] | null): VNode => (
    <div class="figures">
      <HistogramFigure found={found} of="components" isLog={isLog} count={models.length} />
      <HistogramFigure found={found} of="lengths" isLog={isLog} count={models.length} />
    </div>
  );
  return (
    <>
      <div class="fields">
        <Check
          label="Compare all models"
          checked={beside === "all"}
          onChange={(isAll) => {
            change({ beside: isAll ? "all" : "alone" });
          }}
        />
        <Check
          label="Logarithmic axis, to see the tails"
          checked={isLog}
          onChange={(checked) => {
            change({ scale: checked ? "log" : "even" });
          }}
        />
      </div>
      <JobOutput
        job={job}
        label="Transforming patches"
        part={job.report}
        waiting={
          <>
            <p class="summary" />
            {figures(null)}
          </>
        }
      >
        {(found) => (
          <>
            <p class="summary">
              {`y = g(x) for ${thousands(histogramPatches)} patches at random places of the picture.`}
            </p>
            {figures(found)}
            <DistanceTable found={found} />
          </>
        )}
      </JobOutput>
    </>
  );
}

/** Puts the chosen model first, in the first colour. */
function withOthers(model: ModelSource): readonly ModelSource[] {
  const others = modelNames
    .map((name) => ({ kind: "package", name }) as const)
    .filter(({ name }) => keyOfModel(model) !== name);
  return [model, ...others];
}

interface HistogramFigureProps {
  readonly found: readonly PatchHistograms[] | null;
  readonly of: "components" | "lengths";
  readonly isLog: boolean;
  /** Number of models. */
  readonly count: number;
}

function HistogramFigure({ found, of, isLog, count }: HistogramFigureProps): VNode {
  // Only models of the first one's dimension: others have another χ distribution.
  const dimension = found ? found[0].dimension : 1;
  const shown = useMemo(
    () => (found ?? []).filter((each) => each.dimension === dimension),
    [found, dimension],
  );
  const expected = of === "components" ? standardNormal : chiDistribution(dimension);
  const series = useMemo(
    () =>
      histogramSeries(
        shown.map((each) => ({ label: each.title, histogram: each[of].histogram })),
        expected,
        isLog,
      ),
    [shown, of, dimension, isLog],
  );
  const caption =
    of === "components"
      ? "All components of y. Dashed: the standard normal distribution."
      : `Lengths of y. Dashed: lengths of normal vectors, a χ distribution with ${found ? dimension : "N"} degrees of freedom.`;
  return (
    <Chart
      series={series}
      xLabel={of === "components" ? "component of y" : "‖y‖"}
      xName={of === "components" ? "y =" : "‖y‖ ="}
      yLabel="density"
      yScale={isLog ? "log" : "even"}
      fromZero
      hasLast={false}
      expectedRows={count + 1}
      height={height}
      description={describe(shown, of)}
      caption={caption}
      fileName={`histogram-${of}`}
    />
  );
}

function describe(found: readonly PatchHistograms[], of: "components" | "lengths"): string {
  const expected = of === "components" ? "a standard normal distribution" : "the χ distribution";
  const each = found.map(
    (one) => `${one.title}: ${compact(one[of].divergence)} nats from ${expected}`,
  );
  return `Histogram of ${of} of y. ${each.join("; ")}.`;
}

function DistanceTable({ found }: { readonly found: readonly PatchHistograms[] }): VNode {
  const columns = ["Components: KL", "kurtosis", "Lengths: KL", "KS"];
  return (
    <Wide label="Distances from normal">
      <table class="distances">
        <caption>
          Distances from the distributions of normal vectors: Kullback–Leibler divergence (KL) in
          nats, corrected for the size of the sample, excess kurtosis, and Kolmogorov–Smirnov
          distance (KS). Values for components are means.
        </caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map((column) => (
              <th key={column} scope="col" class="number">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.map(({ title, components, lengths }) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              {[
                components.divergence,
                components.excessKurtosis,
                lengths.divergence,
                lengths.kolmogorovSmirnov,
              ].map((value) => (
                <td class="number">
                  <data value={value}>{fixed(value, 3)}</data>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
