/**
 * A chart of the library as an image. As an image its style needs no exception in the
 * Content-Security-Policy, and it follows light and dark mode by itself.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LineChartOptions } from "../../src/figures/line-chart.js";
import { sentenceOf } from "../problem.js";
import { Notice } from "./notice.js";
import { Figure } from "./panel.js";

interface ChartProps {
  /** `() => drawLines(…)`, null until there is something to draw. A new function draws again. */
  readonly draw: (() => Promise<string>) | null;
  readonly description: string;
  readonly caption: string;
  /** Width divided by height: reserves the space before the chart is drawn. */
  readonly aspect: number;
  /** Text in place of the chart while `draw` is null. */
  readonly waiting?: string;
}

export function Chart(props: ChartProps): VNode {
  const { draw, description, caption, aspect, waiting = "" } = props;
  const [source, setSource] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!draw) {
      setSource(null);
      setProblem(null);
      return undefined;
    }
    let isCurrent = true;
    // Charts are slow to draw, so each gets its own task.
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
  return (
    <Figure caption={caption}>
      {problem !== null ? (
        <Notice kind="problem">Cannot draw the chart. {problem}</Notice>
      ) : (
        <div class={draw ? "chart" : "chart waiting-chart"} style={{ aspectRatio: String(aspect) }}>
          {draw ? source !== null && <img src={source} alt={description} /> : waiting}
        </div>
      )}
    </Figure>
  );
}

/** Draws a line chart as SVG. Loads the drawing code with the first chart. */
export async function drawLines(options: LineChartOptions): Promise<string> {
  const charts = await import("../../src/figures/line-chart.js");
  return charts.lineChart(document, options);
}
