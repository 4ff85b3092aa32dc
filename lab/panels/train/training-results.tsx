/** The curve, filters, figures and downloads of a fit. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { fixed } from "../../../src/numbers/format-number.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import { Button } from "../../components/controls.js";
import { CurveControls, type CurveState, curveLook } from "../../components/curve-controls.js";
import { Problems } from "../../components/notice.js";
import { Explained } from "../../components/panel.js";
import { RunCurves } from "../../components/run-curves.js";
import { handOver } from "../../current-address.js";
import { useWhileOpen } from "../../is-open.js";
import { saveFile } from "../../save-file.js";
import { CurveNotes, FilterNotes } from "./explanations.js";
import type { KeptFile } from "./train-job.js";
import type { Training, TrainingView } from "./training.js";
import { FilterScrubber, TrainingSamples } from "./training-pictures.js";

interface TrainingResultsProps {
  readonly training: Training;
  readonly state: CurveState;
  readonly change: (part: Partial<CurveState>) => void;
}

export function TrainingResults({ training, state, change }: TrainingResultsProps): VNode {
  const view = useWhileOpen(training.view);
  const records = useWhileOpen(training.records);
  const problem = view?.problem ?? null;
  const curves = useMemo(() => [{ name: "", records }], [records]);
  return (
    <section class="train-results" aria-label="Fit">
      <Problems sentences={problem === null ? [] : [problem]} onClose={training.closeProblem} />
      <Problems sentences={view?.skipped ?? []} onClose={training.closeSkipped} />
      <Explained question="What is ΔJ?" notes={<CurveNotes />}>
        <RunCurves
          curves={curves}
          quantity="difference"
          abscissa="step"
          waiting="The curve of ΔJ appears after the first step."
          fileName="train-curve"
          height={230}
          {...curveLook(state)}
        />
        <details class="train-axes">
          <summary>Axes and smoothing</summary>
          <CurveControls state={state} change={change} />
        </details>
      </Explained>
      <div class="train-outcome">
        {view && <Numbers view={view} records={records} />}
        {view && view.step > 0 && <Downloads training={training} view={view} />}
      </div>
      <Explained question="What do the filters show?" notes={<FilterNotes />}>
        <div class="figures">
          <FilterScrubber training={training} />
          <TrainingSamples training={training} />
        </div>
      </Explained>
    </section>
  );
}

interface DownloadsProps {
  readonly training: Training;
  readonly view: TrainingView;
}

function Downloads({ training, view }: DownloadsProps): VNode {
  const isOver = view.status !== "running";
  const isFailed = view.status === "failed" && view.result !== null;
  const nameOf = (what: "model" | "checkpoint", { step }: KeptFile): string => {
    const { model, patch } = view.terms;
    const at = what === "model" && view.status === "done" ? "" : `-${step}`;
    const kind = what === "model" && isFailed ? "last-good" : what;
    return `${model}-${patch}x${patch}${at}-${kind}.safetensors`;
  };
  const save = async (what: "model" | "checkpoint"): Promise<void> => {
    const kept = await training.keep(what);
    if (!kept) return;
    saveFile(nameOf(what, kept), kept.bytes);
    training.markSaved();
  };
  const open = async (): Promise<void> => {
    const kept = await training.keep("model");
    if (kept) handOver("patches", new File([kept.bytes], nameOf("model", kept)));
  };
  return (
    <div class="buttons">
      <Button
        isMain={isOver}
        onClick={() => {
          void save("model");
        }}
      >
        Download the {isFailed ? "last good model" : isOver ? "model" : "model so far"}
      </Button>
      <Button
        onClick={() => {
          void open();
        }}
      >
        Open {isOver ? "it" : "the model so far"} in Patches
      </Button>
      {view.status !== "done" && (
        <Button
          onClick={() => {
            void save("checkpoint");
          }}
        >
          Download a checkpoint
        </Button>
      )}
    </div>
  );
}

interface NumbersProps {
  readonly view: TrainingView;
  readonly records: readonly MetricsRecord[];
}

function Numbers({ view, records }: NumbersProps): VNode {
  const { step, terms, rejectedSteps, status, counts } = view;
  const last = (isHeldOut: boolean): string => {
    const record = records.findLast((each) => each.isHeldOut === isHeldOut);
    return record ? `${fixed(record.negentropyDifferencePerDimension, 4)} nats per pixel` : "–";
  };
  const facts = [
    ["ΔJ, training pictures", last(false)],
    ["ΔJ, held-out pictures", last(true)],
    ["Rejected steps", String(rejectedSteps)],
    ["Pictures", counts ? `${counts.fitted} for training, ${counts.heldOut} held out` : "–"],
  ];
  const isEarly = status === "done" && step < terms.steps;
  return (
    <>
      <p>
        {statusWords[status]} {step} of {terms.steps} steps
        {isEarly ? ": ΔJ of held-out pictures no longer improved" : ""}
      </p>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const statusWords: Readonly<Record<TrainingView["status"], string>> = {
  running: "After",
  stopped: "Stopped after",
  done: "Done:",
  failed: "Failed after",
};
