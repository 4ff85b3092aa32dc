/** Charts of ΔJ and mutual information against steps, with one line per model. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Chart } from "../../components/charts/chart.js";
import type { ChartSeries } from "../../components/charts/series.js";
import type { PairFitMap } from "./pair-fits.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModel } from "./pair-models.js";
import type { PairView } from "./pairs-jobs.js";

interface ModelsProps {
  readonly models: readonly PairModel[];
  readonly fits: PairFitMap;
}

const height = 260;

export function Curves({ view, ...rest }: ModelsProps & { readonly view: PairView }): VNode {
  const count = thousands(view.shown.length / 2);
  return (
    <div class="figures">
      <Curve
        {...rest}
        yLabel="ΔJ (nats)"
        value="negentropyInNats"
        level={null}
        caption={`Change of negentropy, ${count} pairs. Lower is better.`}
      />
      <Curve
        {...rest}
        yLabel="mutual information (bits)"
        value="informationInBits"
        level={view.informationInBits}
        caption={`Mutual information of the two components after the transform, ${count} pairs. 0 is best.`}
      />
    </div>
  );
}

interface CurveProps extends ModelsProps {
  readonly yLabel: string;
  readonly value: "negentropyInNats" | "informationInBits";
  /** Value of the pairs before any transform. */
  readonly level: number | null;
  readonly caption: string;
}

function Curve({ models, fits, yLabel, value, level, caption }: CurveProps): VNode {
  const names = models.map(({ name }) => name).join(" ");
  const series = useMemo(
    () =>
      models.map(({ name, title }, rank): ChartSeries => {
        const frames: readonly PairFrame[] = fits.get(name)?.frames ?? [];
        return {
          label: title,
          x: frames.map(({ step }) => step),
          y: frames.map((frame) => frame[value]),
          rank,
        };
      }),
    // The map is replaced whenever a line grows.
    [names, fits, value],
  );
  const levels = useMemo(
    () => (level === null ? [] : [{ label: `data ${fixed(level, 3)}`, y: level }]),
    [level],
  );
  const ends = series
    .filter(({ y }) => y.length > 0)
    .map(({ label, y }) => `${label} ${fixed(y[y.length - 1], 3)}`);
  return (
    <Chart
      series={series}
      levels={levels}
      xLabel="step"
      yLabel={yLabel}
      height={height}
      description={`${yLabel} against steps, latest: ${ends.join(", ")}.`}
      caption={caption}
      waiting={`${yLabel}: this curve appears with the first fit.`}
      fileName={`pairs-${value === "negentropyInNats" ? "negentropy" : "mutual-information"}`}
    />
  );
}
