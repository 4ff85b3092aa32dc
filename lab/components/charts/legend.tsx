/** The legend of a chart, which is also the table of its values at the crosshair. */
import type { VNode } from "preact";
import { fixed } from "../../../src/numbers/format-number.js";
import { classOf } from "./chart-frame.js";
import type { ChartSeries } from "./series.js";
import { valueAt } from "./series.js";

export interface LegendRow {
  readonly label: string;
  /** Series of this row, one for each column; null leaves a cell empty. */
  readonly series: readonly (ChartSeries | null)[];
}

interface LegendProps {
  /** Headings of the columns; one empty text for a single column. */
  readonly columns: readonly string[];
  readonly rows: readonly LegendRow[];
  readonly digits: number;
  /** x of the crosshair; null: the last values, or none. */
  readonly at: number | null;
  /** Whether the last values are shown without a crosshair. */
  readonly hasLast: boolean;
  /** "at step 200", "last values" */
  readonly caption: string;
  /** Rows that keep their place until they are known. */
  readonly expectedRows: number;
  /** How far outside of a series x may be, for series that end a little earlier. */
  readonly tolerance: number;
}

export function Legend(props: LegendProps): VNode {
  const { columns, rows, caption, expectedRows } = props;
  const best = rows.length > 1 && columns.length > 1 ? lowestOf(props) : null;
  return (
    <table class="legend-table">
      <caption>{caption}</caption>
      {columns.length > 1 && (
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {best !== null && <th scope="col">above the best</th>}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(({ label, series }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {columns.map((column, k) => (
              <td key={column}>
                <Value series={series.at(k) ?? null} {...props} />
              </td>
            ))}
            {best !== null && <td>{differenceText(series, best, props)}</td>}
          </tr>
        ))}
        {Array.from({ length: Math.max(0, expectedRows - rows.length) }, (_, k) => (
          <tr key={`expected ${k}`}>
            <th scope="row">&nbsp;</th>
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ValueProps extends LegendProps {
  readonly series: ChartSeries | null;
}

function Value({ series, ...props }: ValueProps): VNode {
  if (series === null) return <>–</>;
  const value = shownValue(series, props);
  return (
    <>
      <svg class="swatch" width="22" height="10" aria-hidden="true">
        <path class={`line ${classOf(series)}`} d="M1,5H21" />
      </svg>
      {value === null ? "–" : fixed(value, props.digits)}
    </>
  );
}

function shownValue(
  series: ChartSeries,
  { at, tolerance, hasLast }: Pick<LegendProps, "at" | "tolerance" | "hasLast">,
): number | null {
  if (series.x.length === 0 || (at === null && !hasLast)) return null;
  return valueAt(series, at ?? series.x[series.x.length - 1], tolerance);
}

interface Best {
  readonly value: number;
  readonly column: number;
}

/** The lowest held-out value if every row has one, else the lowest of the others. */
function lowestOf(props: LegendProps): Best | null {
  const { rows, columns } = props;
  for (let column = columns.length - 1; column >= 0; column--) {
    const found = rows.map(({ series }) => series.at(column) ?? null);
    const values = found.map((each) => each && shownValue(each, props));
    if (values.some((value) => value === null)) continue;
    return { value: Math.min(...values.map(Number)), column };
  }
  return null;
}

function differenceText(
  series: readonly (ChartSeries | null)[],
  { value, column }: Best,
  props: LegendProps,
): string {
  const compared = series.at(column) ?? null;
  const own = compared && shownValue(compared, props);
  return own === null ? "–" : fixed(own - value, props.digits);
}
