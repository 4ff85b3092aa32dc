/**
 * A point of the data that can be dragged, its place after the transform, and its log-density
 * (paper eq. 1).
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { fixed } from "../../src/numbers/format-number.js";
import type { Cascade } from "../../src/transforms/transform.js";
import { Figure } from "../components/panel.js";
import { compute } from "../compute/compute.js";
import { type TaskOptions } from "../task.js";
import { useTask } from "../use-task.js";
import type { MovedPoint, Point } from "./plane-job.js";
import { PlanePlot } from "./plane-plot.js";

interface PointExplorerProps {
  /** Pairs before and after the transform, count×2. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Contours of the density of x. */
  readonly contours: string;
  readonly transform: Cascade;
  /** The same for the same transform. */
  readonly id: string;
  /** Name of the data in captions: "responses". */
  readonly dataName: string;
}

interface Question {
  readonly transform: Cascade;
  readonly x: Point;
}

const start: Point = [1.5, 1];

export function PointExplorer(props: PointExplorerProps): VNode {
  const { x, y, contours, transform, id, dataName } = props;
  const [point, setPoint] = useState(start);
  const moved = useTask<Question, MovedPoint>(
    move,
    { transform, x: point },
    `${id} ${point.join(" ")}`,
  );
  return (
    <div class="point-explorer">
      <div class="planes">
        <Figure
          caption={`Before: x, the ${dataName}, with contours of the density. Drag the point.`}
        >
          <PlanePlot
            points={x}
            contours={contours}
            marker={point}
            onMove={setPoint}
            description={`Plane of the ${dataName}: drag the point, or move it with the arrow keys`}
          />
        </Figure>
        <Figure caption="After: y, with circles of the normal distribution at 1, 2 and 3.">
          <PlanePlot
            points={y}
            circles={[1, 2, 3]}
            marker={moved.output?.y ?? null}
            description="Plane of the transformed pairs, with the place of the point"
          />
        </Figure>
      </div>
      <p class="point-words" role="status">
        {moved.problem ?? (moved.output ? wordsOf(moved.output) : "\u00a0")}
      </p>
    </div>
  );
}

function move(question: Question, options: TaskOptions<never>): Promise<MovedPoint> {
  return compute("movePoint", question, options);
}

function wordsOf({ x, y, logNormal, logDeterminant }: MovedPoint): string {
  const [from, to] = [x, y].map((pair) => `(${pair.map((value) => fixed(value, 2)).join(", ")})`);
  const terms = `${fixed(logNormal, 2)} + ${fixed(logDeterminant, 2)}`;
  return `x = ${from} goes to y = ${to}. log p(x) = log N(y) + log |det ∂y/∂x| = ${terms} = ${fixed(logNormal + logDeterminant, 2)} nats.`;
}
