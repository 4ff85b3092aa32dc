/** Buttons above a chart: zoom, and save it as SVG, PNG or CSV. */
import type { RefObject, VNode } from "preact";
import { saveFile } from "../../save-file.js";
import { classOf } from "./chart-frame.js";
import type { LegendRow } from "./legend.js";
import { type SavedLegend, savePng, svgText } from "./save-chart.js";
import { type ChartSeries, csvOf } from "./series.js";

interface ChartToolsProps {
  readonly chart: RefObject<SVGSVGElement | null>;
  readonly zoomBy: (factor: number) => void;
  /** Null while everything is shown. */
  readonly onReset: (() => void) | null;
  readonly rows: readonly LegendRow[];
  readonly data: {
    readonly series: readonly ChartSeries[];
    readonly xLabel: string;
    readonly yLabel: string;
    readonly fileName: string;
  };
  readonly isEmpty: boolean;
}

export function ChartTools(props: ChartToolsProps): VNode {
  const { zoomBy, onReset, isEmpty, data } = props;
  const saveSvg = (): void => {
    saveFile(`${data.fileName}.svg`, textOf(props));
  };
  const saveCsv = (): void => {
    saveFile(`${data.fileName}.csv`, csvOf(data.series, data.xLabel, data.yLabel));
  };
  const tools = [
    [
      "−",
      "Zoom out",
      () => {
        zoomBy(0.5);
      },
      onReset === null,
    ],
    [
      "+",
      "Zoom in",
      () => {
        zoomBy(2);
      },
      false,
    ],
    ["All", "All: show everything", () => onReset?.(), onReset === null],
    ["SVG", "Save the chart as SVG", saveSvg, false],
    [
      "PNG",
      "Save the chart as PNG",
      () => void savePng(`${data.fileName}.png`, textOf(props)),
      false,
    ],
    ["CSV", "Save the values as CSV", saveCsv, false],
  ] as const;
  return (
    <div class="chart-tools" role="group" aria-label="Chart">
      {tools.map(([sign, name, onClick, isOff]) => (
        <button
          key={name}
          type="button"
          aria-label={name}
          title={name}
          disabled={isEmpty || isOff}
          onClick={onClick}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}

function textOf({ chart, rows }: ChartToolsProps): string {
  return chart.current ? svgText(chart.current, rows.flatMap(savedRows)) : "";
}

function savedRows({ label, series }: LegendRow): SavedLegend[] {
  return series.flatMap((each) => {
    if (each === null || each.x.length === 0) return [];
    const text = series.length > 1 ? each.label : label;
    return [{ className: classOf(each), text }];
  });
}
