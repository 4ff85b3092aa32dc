/** Where pairs go: drag one through a fitted transform, or watch all of them on their way. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { Morph } from "../../plane/morph.js";
import { PlanePlot } from "../../plane/plane-plot.js";
import { PointExplorer } from "../../plane/point-explorer.js";
import type { PairFitMap } from "./pair-fits.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModel, PairModelName } from "./pair-models.js";
import type { PairView } from "./pairs-jobs.js";

interface PairPathsProps {
  readonly models: readonly PairModel[];
  readonly view: PairView;
  readonly fits: PairFitMap;
}

const circles = [1, 2, 3];

export function PairPaths({ models, view, fits }: PairPathsProps): VNode {
  const fitted = models.flatMap((model) => {
    const fit = fits.get(model.name);
    const frame = fit?.frames.at(-1);
    return fit?.state.status === "done" && frame ? [{ model, frame }] : [];
  });
  return (
    <section class="pair-paths" aria-label="Where the pairs go">
      <h2>Where the pairs go</h2>
      {fitted.length > 0 ? (
        <Paths fitted={fitted} view={view} />
      ) : (
        <p>Fit a model. Then drag a pair and see where the transform moves it.</p>
      )}
    </section>
  );
}

interface PathsProps {
  /** At least one. */
  readonly fitted: readonly { readonly model: PairModel; readonly frame: PairFrame }[];
  readonly view: PairView;
}

function Paths({ fitted, view }: PathsProps): VNode {
  const [chosen, setChosen] = useState<PairModelName>("gdn");
  const { model, frame } =
    fitted.find((each) => each.model.name === chosen) ?? fitted[fitted.length - 1];
  const { title, name } = model;
  return (
    <>
      <Choice
        label="Model"
        value={name}
        choices={fitted.map((each) => ({ value: each.model.name, label: each.model.title }))}
        onChange={setChosen}
      />
      <PointExplorer
        x={view.shown}
        y={frame.y}
        contours={frame.contours}
        transform={frame.transform}
        id={`${name} ${frame.step} ${frame.negentropyInNats}`}
        dataName="pairs"
      />
      <Figure caption="All pairs on a straight way from x to y, with circles at 1, 2 and 3.">
        <Morph from={view.shown} to={frame.y} label="From x to y">
          {(points) => (
            <PlanePlot
              points={points}
              circles={circles}
              description={`The pairs on their way through the transform of ${title}`}
            />
          )}
        </Morph>
      </Figure>
    </>
  );
}
