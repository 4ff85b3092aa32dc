import type { VNode } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import { chiDistribution, standardNormal } from "../../../src/evaluation/reference-densities.js";
import { histogramChart } from "../../../src/figures/histogram-chart.js";
import { Chart } from "../../components/chart.js";
import { Check } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { useJob } from "../../use-task.js";
import type { PatchHistograms } from "./histograms-job.js";
import { JobOutput } from "./job-output.js";
import { type ModelSource, type ViewProps, keyOfModel } from "./model-source.js";
import { histogramPatches, modelNames } from "./settings.js";
import { compact, fixed, thousands } from "../../../src/numbers/format-number.js";
import { Wide } from "../../components/wide.js";

const width = 420;
const height = 260;

export function HistogramsView({ state, change, model, picture }: ViewProps): VNode {
  const { seed, beside, scale } = state;
  const models = besides(model, beside === "all");
  const job = useJob("measureHistograms", picture && { models, picture, seed });
  const found = job.output;
  return (
    <>
      <div class="fields">
        <Check
          label="All models together"
          checked={beside === "all"}
          onChange={(isAll) => {
            change({ beside: isAll ? "all" : "alone" });
          }}
        />
        <Check
          label="Ordinate by powers of ten: the tails"
          checked={scale === "log"}
          onChange={(isLog) => {
            change({ scale: isLog ? "log" : "even" });
          }}
        />
      </div>
      <JobOutput job={job} label="Transforming patches" part={job.report}>
        <p class="summary">{aboutText(found)}</p>
        <div class="figures">
          <HistogramFigure found={found} of="components" isLog={scale === "log"} />
          <HistogramFigure found={found} of="lengths" isLog={scale === "log"} />
        </div>
        {found && <DistanceTable found={found} />}
      </JobOutput>
    </>
  );
}

/** The chosen one first, which has the first colour. */
function besides(model: ModelSource, isAll: boolean): readonly ModelSource[] {
  if (!isAll) return [model];
  const others = modelNames
    .map((name) => ({ kind: "package", name }) as const)
    .filter(({ name }) => keyOfModel(model) !== name);
  return [model, ...others];
}

function aboutText(found: readonly PatchHistograms[] | null): string {
  if (!found) return "";
  return `y = g(x) of ${thousands(histogramPatches)} patches at random places of the picture.`;
}

interface HistogramFigureProps {
  readonly found: readonly PatchHistograms[] | null;
  readonly of: "components" | "lengths";
  readonly isLog: boolean;
}

function HistogramFigure({ found, of, isLog }: HistogramFigureProps): VNode {
  // Models of another size have another χ: lengths are compared with that of the first.
  const shown = useMemo(
    () => found?.filter(({ dimension }) => dimension === found[0].dimension) ?? null,
    [found],
  );
  const draw = useCallback(async () => {
    if (!shown) return "";
    const { dimension } = shown[0];
    return histogramChart(document, {
      series: shown.map((each) => ({ label: each.title, histogram: each[of].histogram })),
      expected: of === "components" ? standardNormal : chi(dimension),
      xLabel: of === "components" ? "component of y" : "‖y‖",
      logarithmic: isLog,
      width,
      height,
    });
  }, [shown, of, isLog]);
  const caption =
    of === "components"
      ? "All components of y together. Dashed: the standard normal distribution."
      : `Lengths of y. Dashed: those of normal vectors, which have the χ distribution of ${shown?.[0].dimension ?? "N"} degrees of freedom.`;
  const aspect = width / (height + 60);
  return (
    <Figure caption={caption}>
      {shown ? (
        <Chart draw={draw} description={describe(shown, of)} aspect={aspect} />
      ) : (
        <div class="chart" style={{ aspectRatio: String(aspect) }} />
      )}
    </Figure>
  );
}

/** With a name that fits the legend. */
function chi(dimension: number) {
  return { ...chiDistribution(dimension), name: `χ, N = ${dimension}` };
}

function describe(found: readonly PatchHistograms[], of: "components" | "lengths"): string {
  const against = of === "components" ? "a standard normal distribution" : "the χ distribution";
  const each = found.map(
    (one) => `${one.title}: ${compact(one[of].divergence)} nats from ${against}`,
  );
  return `Histogram of ${of === "components" ? "components" : "lengths"} of y. ${each.join("; ")}.`;
}

function DistanceTable({ found }: { readonly found: readonly PatchHistograms[] }): VNode {
  const columns = ["Components: KL", "kurtosis", "Lengths: KL", "KS"];
  return (
    <Wide label="Distances from normal">
      <table class="distances">
        <caption>
          Distances from what normal vectors would have: Kullback–Leibler divergence in nats (means
          over components, less the bias of the sample), excess kurtosis, Kolmogorov–Smirnov.
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
              <Cell value={components.divergence} />
              <Cell value={components.excessKurtosis} />
              <Cell value={lengths.divergence} />
              <Cell value={lengths.kolmogorovSmirnov} />
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function Cell({ value }: { readonly value: number }): VNode {
  return (
    <td class="number">
      <data value={value}>{fixed(value, 3)}</data>
    </td>
  );
}
