/** ΔJ and mutual information over the steps, a line for each model. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import type { LineSeries } from "../../../src/figures/line-series.js";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Chart, drawLines } from "../../components/chart.js";
import { Figure } from "../../components/panel.js";
import type { PairFitMap } from "./pair-fits.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModel } from "./pair-models.js";
import type { PairView } from "./view-pairs-job.js";

interface CurvesProps {
  readonly models: readonly PairModel[];
  readonly view: PairView;
  readonly fits: PairFitMap;
}

/** Height of charts by default, without a title: nothing jumps. */
const height = 190;
const aspect = 440 / (height + 34 + 44);

export function Curves({ models, view, fits }: CurvesProps): VNode {
  const some = thousands(view.shown.length / 2);
  return (
    <div class="figures">
      <Curve
        models={models}
        fits={fits}
        yLabel="ΔJ (nats)"
        valueOf={negentropyOf}
        level={null}
        caption={`How much more Gaussian ${some} of the pairs became: lower is better.`}
      />
      <Curve
        models={models}
        fits={fits}
        yLabel="mutual information (bits)"
        valueOf={informationOf}
        level={view.informationInBits}
        caption={`What the two components of ${some} transformed pairs still tell of each other: 0 is best.`}
      />
    </div>
  );
}

const negentropyOf = ({ negentropyInNats }: PairFrame): number => negentropyInNats;
const informationOf = ({ informationInBits }: PairFrame): number => informationInBits;

interface CurveProps {
  readonly models: readonly PairModel[];
  readonly fits: PairFitMap;
  readonly yLabel: string;
  readonly valueOf: (frame: PairFrame) => number;
  /** Value of the pairs themselves. */
  readonly level: number | null;
  readonly caption: string;
}

function Curve({ models, fits, yLabel, valueOf, level, caption }: CurveProps): VNode {
  const series = models.flatMap((model) => seriesOf(model, fits, valueOf));
  const names = series.map(({ label }) => label).join(" ");
  const draw = useCallback(
    () =>
      drawLines({
        series,
        yLabel,
        xLabel: "step",
        digits: 3,
        height,
        levels: level === null ? [] : [{ label: `data ${fixed(level, 3)}`, y: level }],
      }),
    // The map is a new one whenever a line has grown.
    [names, fits, yLabel, level],
  );
  const ends = series.map(({ label, y }) => `${label} ${fixed(y[y.length - 1], 3)}`);
  return (
    <Figure caption={caption}>
      {series.length > 0 ? (
        <Chart
          draw={draw}
          description={`${yLabel} over the steps, at last: ${ends.join(", ")}.`}
          aspect={aspect}
        />
      ) : (
        <div class="chart waiting-chart" style={{ aspectRatio: String(aspect) }}>
          {yLabel}: curves appear with the first fit.
        </div>
      )}
    </Figure>
  );
}

function seriesOf(
  { name, title }: PairModel,
  fits: PairFitMap,
  valueOf: (frame: PairFrame) => number,
): LineSeries[] {
  const frames = fits.get(name)?.frames ?? [];
  if (frames.length === 0) return [];
  return [{ label: title, x: frames.map(({ step }) => step), y: frames.map(valueOf) }];
}
