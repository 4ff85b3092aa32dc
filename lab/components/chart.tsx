/**
 * A chart of the library, as an image: so its style needs no exception of the
 * Content-Security-Policy, and follows light and dark by itself.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LineChartOptions } from "../../src/figures/line-chart.js";
import { sentenceOf } from "../problem.js";
import { Notice } from "./notice.js";

interface ChartProps {
  /** `() => drawLines(…)`; the same function is the same chart. */
  readonly draw: () => Promise<string>;
  readonly description: string;
  /** Width over height, so that nothing jumps when it is there. */
  readonly aspect: number;
}

export function Chart({ draw, description, aspect }: ChartProps): VNode {
  const [source, setSource] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    // Each in a task of its own: charts take longer than anything else, and several may be due.
    const timer = setTimeout(() => {
      draw().then(
        (svg) => {
          if (!isCurrent) return;
          setSource(`data:image/svg+xml,${encodeURIComponent(svg)}`);
          setProblem(null);
        },
        (error: unknown) => {
          if (isCurrent) setProblem(sentenceOf(error));
        },
      );
    });
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [draw]);
  if (problem !== null) {
    return <Notice kind="problem">The chart cannot be drawn. {problem}</Notice>;
  }
  return (
    <div class="chart" style={{ aspectRatio: String(aspect) }}>
      {source !== null && <img src={source} alt={description} />}
    </div>
  );
}

/** Draws a line chart as SVG. Its code is loaded with the first one. */
export async function drawLines(options: LineChartOptions): Promise<string> {
  const charts = await import("../../src/figures/line-chart.js");
  return charts.lineChart(document, options);
}
