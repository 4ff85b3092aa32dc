import type { VNode } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import { fixed } from "../../src/numbers/format-number.js";
import type { MetricsRecord } from "../../src/runs/run-metrics.js";
import { Chart, drawLines } from "./chart.js";
import { Figure } from "./panel.js";
import { type Abscissa, type Quantity, curvesOf } from "./curves.js";

export interface Curve {
  readonly name: string;
  readonly records: readonly MetricsRecord[];
}

interface RunCurvesProps {
  /** The same list is the same chart. */
  readonly curves: readonly Curve[];
  readonly quantity: Quantity;
  readonly abscissa: Abscissa;
  /** Text in the place of the chart before its first values. */
  readonly waiting: string;
}

const yLabels: Readonly<Record<Quantity, string>> = {
  difference: "ΔJ (nats per dimension)",
  loss: "loss (nats)",
};
const xLabels: Readonly<Record<Abscissa, string>> = { step: "step", time: "seconds" };
const width = 480;
const height = 250;
/** With axes and a line of names. */
const aspect = width / (height + 98);

export function RunCurves({ curves, quantity, abscissa, waiting }: RunCurvesProps): VNode {
  const series = useMemo(() => curvesOf(curves, quantity, abscissa), [curves, quantity, abscissa]);
  const [xLabel, yLabel] = [xLabels[abscissa], yLabels[quantity]];
  const draw = useCallback(
    () => drawLines({ series, xLabel, yLabel, names: "legend", width, height }),
    [series, xLabel, yLabel],
  );
  return (
    <Figure
      caption={`${yLabel} over ${xLabel === "step" ? "steps" : "seconds"}; dotted: on images that were held out. Lower is better.`}
    >
      {series.length > 0 ? (
        <Chart draw={draw} description={describe(curves, quantity)} aspect={aspect} />
      ) : (
        <div class="chart waiting-chart" style={{ aspectRatio: String(aspect) }}>
          {waiting}
        </div>
      )}
    </Figure>
  );
}

/** The last value of each. */
function describe(curves: readonly Curve[], quantity: Quantity): string {
  const ends = curvesOf(curves, quantity, "step").map(
    ({ label, x, y }) => `${label}: ${fixed(y[y.length - 1], 4)} at step ${x[x.length - 1]}`,
  );
  return `${yLabels[quantity]}. ${ends.join("; ")}.`;
}
