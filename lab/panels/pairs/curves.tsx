/** Charts of ΔJ and mutual information against steps, with one line per model. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import type { LineSeries } from "../../../src/figures/line-series.js";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Chart, drawLines } from "../../components/chart.js";
import type { PairFitMap } from "./pair-fits.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModel } from "./pair-models.js";
import type { PairView } from "./pairs-jobs.js";

interface ModelsProps {
  readonly models: readonly PairModel[];
  readonly fits: PairFitMap;
}

const height = 190;
/** Includes the axes, as in a chart of default width without a title. */
const aspect = 440 / (height + 34 + 44);

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
  const series = models.flatMap(({ name, title }): LineSeries[] => {
    const frames: readonly PairFrame[] = fits.get(name)?.frames ?? [];
    if (frames.length === 0) return [];
    return [
      { label: title, x: frames.map(({ step }) => step), y: frames.map((frame) => frame[value]) },
    ];
  });
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
    // The map is replaced whenever a line grows.
    [names, fits, yLabel, level],
  );
  const ends = series.map(({ label, y }) => `${label} ${fixed(y[y.length - 1], 3)}`);
  return (
    <Chart
      draw={series.length > 0 ? draw : null}
      description={`${yLabel} against steps, latest: ${ends.join(", ")}.`}
      caption={caption}
      aspect={aspect}
      waiting={`${yLabel}: this curve appears with the first fit.`}
    />
  );
}
