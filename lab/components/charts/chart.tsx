/**
 * An interactive chart: SVG elements of the page with a crosshair, zoom, and files to save. Its
 * style is in the page's style sheet, so the Content-Security-Policy needs no exception.
 */
import type { VNode } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { compact, fixed } from "../../../src/numbers/format-number.js";
import { Figure } from "../panel.js";
import { type Frame, type Level, frameOf, wholeDomain } from "./chart-frame.js";
import { ChartTools } from "./chart-tools.js";
import { Crosshair, type Cursor } from "./crosshair.js";
import { CursorMarks } from "./cursor-marks.js";
import { Legend, type LegendRow } from "./legend.js";
import { PlotArea } from "./plot-area.js";
import type { ScaleKind } from "./scale.js";
import { type ChartSeries, type Interval, allAbscissas, smoothed, valueAt } from "./series.js";
import { useWidth } from "./use-width.js";
import "../../styles/chart.css";

export interface ChartProps {
  /** A new list draws the chart again. Series without points keep their place in the legend. */
  readonly series: readonly ChartSeries[];
  /** Rows of the legend, in the order of the tables beside it; default one for each series. */
  readonly legend?: readonly LegendRow[];
  readonly legendColumns?: readonly string[];
  readonly levels?: readonly Level[];
  readonly xLabel: string;
  readonly yLabel: string;
  /** Unit or name before values of x: "step" gives "at step 200". */
  readonly xName?: string;
  readonly xScale?: ScaleKind;
  readonly yScale?: ScaleKind;
  readonly fromZero?: boolean;
  /** Number of neighbouring points whose mean is drawn; 1 by default. */
  readonly smoothing?: number;
  /** Decimals of the values in the legend. */
  readonly digits?: number;
  /** Whether the last values mean something; true by default. */
  readonly hasLast?: boolean;
  /** Height of the plot in pixels. */
  readonly height: number;
  /** Number of rows that the legend will have, so that nothing moves when they appear. */
  readonly expectedRows?: number;
  readonly description: string;
  readonly caption: string;
  /** Text in place of the chart until there are values. */
  readonly waiting?: string;
  /** Name of saved files, without their ending. */
  readonly fileName: string;
}

const usualLevels: readonly Level[] = [];
const singleColumn = [""];

export function Chart(props: ChartProps): VNode {
  const { series: all, height, waiting = "", xLabel, yLabel, description, caption } = props;
  const {
    xName = xLabel,
    digits = 4,
    legendColumns = singleColumn,
    smoothing = 1,
    hasLast = true,
  } = props;
  const [zoom, setZoom] = useState<Interval | null>(null);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const { box, width } = useWidth();
  const svg = useRef<SVGSVGElement>(null);
  const drawn = useMemo(() => all.filter(({ x }) => x.length > 0), [all]);
  const series = useMemo(() => drawn.map((each) => smooth(each, smoothing)), [drawn, smoothing]);
  const faint = smoothing > 1 ? drawn : none;
  const frame = useFrame(props, series, zoom, width);
  const abscissas = useMemo(() => within(allAbscissas(series), frame), [series, frame]);
  const zoomTo = useZoom(props, frame, setZoom);
  const at = cursor?.x ?? null;
  const tolerance = frame ? 0.02 * (frame.x.domain[1] - frame.x.domain[0]) : 0;
  const rows = useMemo(
    () => smoothRows(props.legend ?? rowsOf(all), smoothing),
    [props.legend, all, smoothing],
  );
  const place = at === null ? restText(hasLast) : `at ${xName} ${xText(at)}`;
  return (
    <Figure caption={caption}>
      <div class="chart">
        <ChartTools
          chart={svg}
          zoomBy={zoomTo.by}
          onReset={zoom === null ? null : zoomTo.reset}
          rows={rows}
          data={{ series: drawn, xLabel, yLabel, fileName: props.fileName }}
          isEmpty={frame === null}
        />
        <div ref={box} class="plot" style={{ height: `${height}px` }}>
          {frame ? (
            <>
              <svg
                ref={svg}
                class="chart-svg"
                role="img"
                aria-label={description}
                width={frame.width}
                height={height}
                viewBox={`0 0 ${frame.width} ${height}`}
              >
                <PlotArea
                  frame={frame}
                  series={series}
                  faint={faint}
                  levels={props.levels ?? usualLevels}
                  xLabel={xLabel}
                  yLabel={yLabel}
                />
                {at !== null && (
                  <CursorMarks frame={frame} series={series} at={at} tolerance={tolerance} />
                )}
              </svg>
              <Crosshair
                frame={frame}
                abscissas={abscissas}
                cursor={cursor}
                onCursor={setCursor}
                onZoom={zoomTo.interval}
                zoomBy={zoomTo.by}
                label={`Values of the chart: ${yLabel}`}
                valueText={wordsAt(
                  series,
                  at ?? abscissas[abscissas.length - 1],
                  xName,
                  digits,
                  tolerance,
                )}
              />
            </>
          ) : (
            <p class="waiting-chart">{waiting}</p>
          )}
        </div>
        <Legend
          columns={legendColumns}
          rows={rows}
          expectedRows={props.expectedRows ?? 0}
          hasLast={hasLast}
          digits={digits}
          at={at}
          caption={place}
          tolerance={tolerance}
        />
      </div>
    </Figure>
  );
}

const none: readonly ChartSeries[] = [];

function smooth(series: ChartSeries, window: number): ChartSeries {
  return window > 1 ? { ...series, y: smoothed(series.y, window) } : series;
}

function smoothRows(rows: readonly LegendRow[], window: number): readonly LegendRow[] {
  if (window <= 1) return rows;
  return rows.map((row) => ({
    ...row,
    series: row.series.map((each) => each && smooth(each, window)),
  }));
}

function rowsOf(series: readonly ChartSeries[]): readonly LegendRow[] {
  return series.map((each) => ({ label: each.label, series: [each] }));
}

function useFrame(
  { levels = usualLevels, xScale = "even", yScale = "even", fromZero = false, height }: ChartProps,
  series: readonly ChartSeries[],
  zoom: Interval | null,
  width: number,
): Frame | null {
  return useMemo(
    () => frameOf({ series, levels, xScale, yScale, fromZero, zoom, width, height }),
    [series, levels, xScale, yScale, fromZero, zoom, width, height],
  );
}

function within(abscissas: readonly number[], frame: Frame | null): readonly number[] {
  if (!frame) return abscissas;
  const [low, high] = frame.x.domain;
  const found = abscissas.filter((x) => x >= low && x <= high);
  return found.length > 0 ? found : abscissas;
}

/** Zooms around the middle of what is shown. */
function useZoom(
  { series, xScale = "even" }: ChartProps,
  frame: Frame | null,
  setZoom: (zoom: Interval | null) => void,
) {
  const whole = useMemo(
    () => wholeDomain({ series: series.filter(({ x }) => x.length > 0), xScale }),
    [series, xScale],
  );
  const interval = (wanted: Interval | null): void => {
    if (wanted === null || whole === null) {
      setZoom(null);
      return;
    }
    const [low, high] = [Math.max(whole[0], wanted[0]), Math.min(whole[1], wanted[1])];
    const isWhole = low <= whole[0] && high >= whole[1];
    if (isWhole) setZoom(null);
    // Narrower intervals have no ticks that differ.
    else if (high - low > 1e-9 * (whole[1] - whole[0])) setZoom([low, high]);
  };
  const by = (factor: number): void => {
    if (frame) interval([frame.x.valueAt(0.5 - 0.5 / factor), frame.x.valueAt(0.5 + 0.5 / factor)]);
  };
  const reset = useCallback(() => {
    setZoom(null);
  }, [setZoom]);
  return { interval, by, reset };
}

function wordsAt(
  series: readonly ChartSeries[],
  x: number,
  xName: string,
  digits: number,
  tolerance: number,
): string {
  const values = series.map((each) => {
    const value = valueAt(each, x, tolerance);
    return `${each.label} ${value === null ? "none" : fixed(value, digits)}`;
  });
  return `${xName} ${xText(x)}: ${values.join(", ")}`;
}

function restText(hasLast: boolean): string {
  return hasLast ? "last values" : "Point at the chart to read values.";
}

function xText(x: number): string {
  return Number.isInteger(x) ? String(x) : compact(x);
}
