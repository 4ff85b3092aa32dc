/** Axes, lines and dots of a chart, as SVG elements whose style is in styles/chart.css. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { markPath } from "../../../src/figures/line-series.js";
import { type Frame, type Level, classOf, pathOf } from "./chart-frame.js";
import type { ChartSeries } from "./series.js";

interface PlotAreaProps {
  readonly frame: Frame;
  readonly series: readonly ChartSeries[];
  /** Series behind the others, before they were smoothed. */
  readonly faint: readonly ChartSeries[];
  readonly levels: readonly Level[];
  readonly xLabel: string;
  readonly yLabel: string;
}

/** Longer series have no dots. */
const mostDots = 24;
const dotRadius = 3.2;
/** Room for half a dot at the edges. */
const edge = 5;

export function PlotArea(props: PlotAreaProps): VNode {
  const { frame, series, faint, levels } = props;
  const { left, top, right, bottom, yOf } = frame;
  const size = {
    x: left - edge,
    y: top - edge,
    width: right - left + 2 * edge,
    height: bottom - top + 2 * edge,
  };
  // The first line is drawn last, above all others.
  const lines = useMemo(
    () => [
      ...faint.map((each) => (
        <Line key={`faint ${each.label}`} frame={frame} series={each} isFaint />
      )),
      ...series.map((each) => <Line key={each.label} frame={frame} series={each} />).reverse(),
    ],
    [frame, series, faint],
  );
  return (
    <>
      <Axes {...props} />
      {/* Clips what is zoomed out of sight, without an id. */}
      <svg {...size} viewBox={`${size.x} ${size.y} ${size.width} ${size.height}`}>
        {levels.map(({ label, y }) => (
          <g key={label}>
            <path class="line expected" d={`M${left},${yOf(y)}H${right}`} />
            <text class="level" x={right - 4} y={levelTextAt(yOf(y), top)} text-anchor="end">
              {label}
            </text>
          </g>
        ))}
        {lines}
      </svg>
    </>
  );
}

/** Above its line, or below it at the upper edge. */
function levelTextAt(y: number, top: number): number {
  return y - top < 16 ? y + 16 : y - 5;
}

interface LineProps {
  readonly frame: Frame;
  readonly series: ChartSeries;
  readonly isFaint?: boolean;
}

function Line({ frame, series, isFaint = false }: LineProps): VNode {
  const { x, y, rank, look } = series;
  const path = pathOf(series, frame);
  const className = classOf(series);
  const hasDots = x.length <= mostDots && look === undefined && !isFaint;
  const places = hasDots ? Array.from(x, (_, k) => k).filter((k) => Number.isFinite(y[k])) : [];
  const mark = markPath(rank, dotRadius);
  return (
    <>
      {look === "area" && path !== "" && (
        <path class={`area ${className}`} d={`${path}V${frame.bottom}H${frame.left}Z`} />
      )}
      <path class={`line ${className}${isFaint ? " faint" : ""}`} d={path} />
      {places.map((k) => (
        <path
          key={k}
          class={`dot ${className}`}
          d={mark}
          transform={`translate(${frame.xOf(x[k])},${frame.yOf(y[k])})`}
        />
      ))}
    </>
  );
}

function Axes({ frame, xLabel, yLabel }: PlotAreaProps): VNode {
  const { left, right, bottom, height, xTicks, yTicks, xOf, yOf } = frame;
  return (
    <g class="axes">
      {yTicks.map(({ value, text }) => (
        <g key={value}>
          <path class="grid" d={`M${left},${yOf(value)}H${right}`} />
          <text x={left - 8} y={yOf(value) + 4.5} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {xTicks.map(({ value, text }) => (
        <g key={value}>
          <path class="tick" d={`M${xOf(value)},${bottom}v5`} />
          <text x={xOf(value)} y={bottom + 19} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
      <path class="tick" d={`M${left},${bottom}H${right}`} />
      <text x={0} y={14}>{`↑ ${yLabel}`}</text>
      <text x={right} y={height - 5} text-anchor="end">{`${xLabel} →`}</text>
    </g>
  );
}
