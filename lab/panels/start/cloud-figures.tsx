/** The fit that makes the cloud circular, and the density that follows from it. */
import type { VNode } from "preact";
import { Figure } from "../../components/panel.js";
import { Progress } from "../../components/progress.js";
import { Morph } from "../../plane/morph.js";
import { PlanePlot } from "../../plane/plane-plot.js";
import { PointExplorer } from "../../plane/point-explorer.js";
import type { CloudFrame } from "./cloud-job.js";
import type { Story } from "./responses-job.js";

interface CloudProps {
  readonly story: Story;
  /** Null before the first step. */
  readonly frame: CloudFrame | null;
}

const circles = [1, 2, 3];

export function DivisionFigure({ story, frame }: CloudProps): VNode {
  const isDone = frame !== null && frame.step === frame.steps;
  return (
    <>
      <Figure caption="Circles: the normal distribution at 1, 2 and 3 standard deviations.">
        <Morph
          from={story.shown}
          to={frame?.y ?? story.shown}
          label="From the responses to the divided ones"
        >
          {(points) => (
            <PlanePlot
              points={points}
              circles={circles}
              description="The pairs of responses on their way to the divided ones"
            />
          )}
        </Morph>
      </Figure>
      <div class="fit-state">
        {isDone ? (
          <p role="status">Fitted in {frame.steps} steps.</p>
        ) : (
          <Progress label="Fitting" part={(frame?.step ?? 0) / (frame?.steps ?? 1)} />
        )}
      </div>
    </>
  );
}

export function DensityFigure({ story, frame }: CloudProps): VNode {
  if (!frame) return <div class="planes waiting-planes" />;
  return (
    <PointExplorer
      x={story.shown}
      y={frame.y}
      contours={frame.contours}
      transform={frame.transform}
      id={`step ${frame.step}`}
      dataName="responses"
    />
  );
}
