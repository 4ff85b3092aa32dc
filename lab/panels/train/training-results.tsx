/** The curve and the filters of a fit while it goes on, and its model when it has ended. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { MetricsRecord } from "../../../node/run-metrics.js";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { RunCurves } from "../../components/run-curves.js";
import { saveFile } from "../../save-file.js";
import { fixed } from "../pairs/numbers.js";
import { RunPictures } from "../runs/run-pictures.js";
import type { Training, TrainingView } from "./training.js";

export function TrainingResults({ training }: { readonly training: Training }): VNode {
  const view = training.view.value;
  const records = training.records.value;
  const curves = useMemo(() => [{ name: "fitted", records }], [records]);
  return (
    <section class="train-results" aria-label="Fit">
      {view?.problem != null && <Notice kind="problem">{view.problem}</Notice>}
      {view?.skipped.map((reason) => (
        <Notice key={reason} kind="problem">
          Left out: {reason}
        </Notice>
      ))}
      <div class="figures train-figures">
        <div class="train-curve">
          {records.length > 0 ? (
            <RunCurves curves={curves} quantity="difference" abscissa="step" />
          ) : (
            <p class="train-waiting">ΔJ over the steps appears with the first of them.</p>
          )}
        </div>
        <LiveFilters view={view} />
      </div>
      <p class="train-numbers">{view ? numbersOf(view, records) : " "}</p>
      {view && view.step > 0 && <Downloads training={training} view={view} />}
      {view?.file && (
        <RunPictures source={{ kind: "file", name: "the model", file: view.file }} seed={1} />
      )}
    </section>
  );
}

function LiveFilters({ view }: { readonly view: TrainingView | null }): VNode {
  const filters = view?.filters ?? null;
  const step = filters?.step ?? 0;
  return (
    <Figure
      caption={
        filters
          ? `Filters after ${step} steps: the rows of H, each in its own greys.`
          : "Filters: the rows of H, each in its own greys."
      }
    >
      <div class="train-filters">
        {filters ? (
          <Picture bitmap={filters.bitmap} description={`Filters after ${step} steps`} />
        ) : (
          <p class="train-waiting">Filters appear with the first step.</p>
        )}
      </div>
    </Figure>
  );
}

interface DownloadsProps {
  readonly training: Training;
  readonly view: TrainingView;
}

function Downloads({ training, view }: DownloadsProps): VNode {
  const isOver = view.status !== "running";
  const save = async (what: "model" | "checkpoint"): Promise<void> => {
    const kept = await training.keep(what);
    if (!kept) return;
    const { model, patch } = view.terms;
    const step = what === "model" && view.status === "done" ? "" : `-${kept.step}`;
    saveFile(`${model}-${patch}x${patch}${step}-${what}.safetensors`, kept.bytes);
    training.markSaved();
  };
  return (
    <div class="buttons">
      <Button
        isMain={isOver}
        onClick={() => {
          void save("model");
        }}
      >
        {isOver ? "Download the model" : "Download the model so far"}
      </Button>
      {view.status !== "done" && (
        <Button
          onClick={() => {
            void save("checkpoint");
          }}
        >
          Download a checkpoint, to go on later
        </Button>
      )}
    </div>
  );
}

function numbersOf(view: TrainingView, records: readonly MetricsRecord[]): string {
  const { step, terms, rejectedSteps, status, result } = view;
  const last = (isHeldOut: boolean): MetricsRecord | undefined =>
    records.findLast((record) => record.isHeldOut === isHeldOut);
  const [fitted, heldOut] = [last(false), last(true)];
  const parts = [
    `${statusWords[status]} ${step} of ${terms.steps} steps`,
    ...(fitted ? [`ΔJ ${inNats(fitted)} fitted`] : []),
    ...(heldOut ? [`${inNats(heldOut)} held out, nats per pixel`] : []),
    ...(rejectedSteps > 0 ? [`${rejectedSteps} steps taken back`] : []),
    ...(result && status === "done"
      ? [`${result.trainingImages} pictures fitted to, ${result.heldOutImages} held out`]
      : []),
    ...(status === "done" && step < terms.steps
      ? ["stopped early: validations were no longer better"]
      : []),
  ];
  return `${parts.join("; ")}.`;
}

const statusWords: Readonly<Record<TrainingView["status"], string>> = {
  running: "After",
  stopped: "Stopped after",
  done: "Done:",
  failed: "Failed after",
};

function inNats({ negentropyDifferencePerDimension: value }: MetricsRecord): string {
  return fixed(value, 4);
}
