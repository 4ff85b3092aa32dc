/** One model: its contours over the pairs, the pairs after its transform, its numbers. */
import type { VNode } from "preact";
import { Button } from "../../components/controls.js";
import { saveFile } from "../../save-file.js";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { type PairFit, resultOf } from "./pair-fits.js";
import type { PairFrame } from "./pair-frame.js";
import type { PairModel } from "./pair-models.js";
import { PairPlot } from "./pair-plot.js";
import { ParameterTable } from "./parameter-table.js";
import { reach } from "./pair-source.js";
import type { PairView } from "./view-pairs-job.js";

interface ModelCardProps {
  readonly model: PairModel;
  readonly view: PairView;
  readonly fit: PairFit | undefined;
  readonly onFit: () => void;
}

const normalRadii = [1, 2, 3];

export function ModelCard({ model, view, fit, onFit }: ModelCardProps): VNode {
  const frame = fit?.frames.at(-1);
  const result = resultOf(fit);
  const { title, about } = model;
  return (
    <section class="pair-card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Button onClick={onFit} disabled={fit?.state.status === "running"}>
          Fit<span class="unseen"> {title}</span>
        </Button>
      </header>
      <p>{fit ? statusOf(fit) : about}</p>
      <div class="pair-plots">
        <PairPlot
          points={view.shown}
          reach={reach}
          lines={[
            { path: view.contours, kind: "histogram" },
            { path: frame?.contours ?? "", kind: "model" },
          ]}
          description={dataWords(title, view, frame)}
        />
        <PairPlot
          points={frame?.y ?? view.shown}
          reach={reach}
          lines={[]}
          circles={normalRadii}
          description={cloudWords(title, view, frame)}
        />
      </div>
      <Numbers fit={fit} view={view} />
      <ParameterTable
        model={model}
        counts={view.parameterCounts[model.name]}
        parameters={(result ?? frame)?.parameters ?? null}
      />
      <SaveButton model={model} contents={result?.modelFile ?? null} />
    </section>
  );
}

function SaveButton(props: {
  readonly model: PairModel;
  /** Null until there is a result. */
  readonly contents: Uint8Array<ArrayBuffer> | null;
}): VNode {
  const { model, contents } = props;
  return (
    <Button
      disabled={contents === null}
      onClick={() => {
        if (contents) saveFile(`pairs-${model.name}.safetensors`, contents);
      }}
    >
      Save<span class="unseen"> {model.title}</span> as a model file
    </Button>
  );
}

/** Numbers of all pairs when the fit is done; before, of those that are shown, as the curves. */
function Numbers({ fit, view }: Pick<ModelCardProps, "fit" | "view">): VNode {
  const result = resultOf(fit);
  const numbers = result ?? fit?.frames.at(-1);
  const shown = `of ${thousands(view.shown.length / 2)} of the pairs`;
  return (
    <>
      <dl>
        <dt>ΔJ</dt>
        <dd>{numbers ? `${fixed(numbers.negentropyInNats, 3)} nats` : "–"}</dd>
        <dt>
          <abbr title="mutual information">MI</abbr>
        </dt>
        <dd>{numbers ? `${fixed(numbers.informationInBits, 3)} bits` : "–"}</dd>
      </dl>
      {/* Keeps its room: nothing moves when there are numbers. */}
      <p class="numbers-of">{numbers ? (result ? "of all pairs" : shown) : "\u00a0"}</p>
    </>
  );
}

function statusOf({ state, frames, steps }: PairFit): string {
  const step = frames.at(-1)?.step ?? 0;
  switch (state.status) {
    case "idle":
    case "running":
      return `step ${step} of ${steps}`;
    case "done":
      return `${steps} steps, ${fixed(state.output.seconds, 1)} s`;
    case "cancelled":
    case "failed":
      return `${state.status} at step ${step}`;
  }
}

function dataWords(title: string, view: PairView, frame: PairFrame | undefined): string {
  const { shown, count, names } = view;
  const some = `${thousands(shown.length / 2)} of ${thousands(count)} pairs as dots, horizontally ${names[0]}, vertically ${names[1]}, within ${reach} standard deviations, with contour lines of their histogram`;
  if (!frame) return `${some}.`;
  return `${some} and of the density of ${title} after ${frame.step} steps.`;
}

function cloudWords(title: string, view: PairView, frame: PairFrame | undefined): string {
  const circles = "with circles of the standard normal distribution at 1, 2 and 3";
  if (!frame) return `The pairs before any transform, ${circles}.`;
  const numbers = `ΔJ ${fixed(frame.negentropyInNats, 3)} nats, mutual information ${fixed(frame.informationInBits, 3)} bits, ${fixed(view.informationInBits, 3)} before`;
  return `The pairs after the transform of ${title}, ${circles}. After ${frame.step} steps: ${numbers}.`;
}
