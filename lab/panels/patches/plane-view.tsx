/** A plane through two samples: walk on it, and see the patch at each place. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Place } from "../../components/drag.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { PlanePad } from "../../components/plane-pad.js";
import type { InputOf } from "../../compute/protocol.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ViewProps } from "./model-source.js";
import { planeColumns } from "./settings.js";
import "./plane-view.css";

const middles = Array.from({ length: planeColumns }, (_, k) => (k + 0.5) / planeColumns);
const grid: readonly Place[] = middles.flatMap((y) => middles.map((x) => ({ x, y })));

export function PlaneView({ state, model, title }: ViewProps): VNode {
  const { seed, temperature, from, to } = state;
  return (
    <section class="plane-walk" aria-label="Walk on a plane">
      <h2>Walk on a plane</h2>
      <PlaneFigures terms={{ model, seed, temperature, from, to }} title={title} />
    </section>
  );
}

interface PlaneFiguresProps {
  /** The model, and the samples A and B. */
  readonly terms: Omit<InputOf<"walkOnPlane">, "places">;
  /** Title of the model. */
  readonly title: string;
}

export function PlaneFigures({ terms, title }: PlaneFiguresProps): VNode {
  const [place, setPlace] = useState<Place>({ x: 0.8, y: 0.3 });
  const plane = useJob("walkOnPlane", { ...terms, places: grid });
  // After the plane, so cancelling the plane cancels both.
  const here = useJob("walkOnPlane", plane.isOld ? null : { ...terms, places: [place] });
  return (
    <JobOutput
      job={plane}
      label={`Drawing a plane through two samples of ${title}`}
      waiting={<div class="plane-walk-figures waiting" />}
    >
      {(drawn) => (
        <div class="plane-walk-figures">
          <Figure caption={captionOf(terms.temperature)}>
            <PlanePad
              place={place}
              onPlace={setPlace}
              isHovering
              label="Plane through both samples: move the point to see its patch"
            >
              <Picture bitmap={drawn} description={null} />
            </PlanePad>
          </Figure>
          <Figure caption="The patch at the point.">
            <div class="square">
              {here.output && (
                <Picture bitmap={here.output} description="The patch at the point" isPixelated />
              )}
            </div>
          </Figure>
        </div>
      )}
    </JobOutput>
  );
}

function captionOf(temperature: number): string {
  const greys = temperature > 1 ? " Each patch has its own greys." : "";
  return `A plane of y: A is at the right edge, B at the top. Move the mouse over it, drag the point with a finger, or use the arrow keys. In the middle y is 0.${greys}`;
}
