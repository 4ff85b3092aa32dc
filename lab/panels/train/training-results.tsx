/** The curve and the filters of a fit while it goes on, and its model when it has ended. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import { Button } from "../../components/controls.js";
import { fixed } from "../../../src/numbers/format-number.js";
import { Notice } from "../../components/notice.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { RunCurves } from "../../components/run-curves.js";
import { RunPictures } from "../../components/run-pictures.js";
import { useWhileOpen } from "../../is-open.js";
import { namedFile } from "../../named-file.js";
import { saveFile } from "../../save-file.js";
import type { Training, TrainingView } from "./training.js";

export function TrainingResults({ training }: { readonly training: Training }): VNode {
  const view = useWhileOpen(training.view);
  const records = useWhileOpen(training.records);
  const problem = view?.problem ?? null;
  const curves = useMemo(() => [{ name: "", records }], [records]);
  const file = view?.file ?? null;
  const model = useMemo(() => file && namedFile(file), [file]);
  return (
    <section class="train-results" aria-label="Fit">
      {problem !== null && (
        <Notice
          kind="problem"
          onClose={() => {
            training.closeProblem();
          }}
        >
          {problem}
        </Notice>
      )}
      {view?.skipped.map((reason) => (
        <Notice
          key={reason}
          kind="problem"
          onClose={() => {
            training.closeSkipped(reason);
          }}
        >
          Left out: {reason}
        </Notice>
      ))}
      <div class="train-first">
        <div class="train-curve">
          <RunCurves
            curves={curves}
            quantity="difference"
            abscissa="step"
            waiting="ΔJ over the steps appears with the first of them."
          />
        </div>
        <div class="train-outcome">
          {view && <Numbers view={view} records={records} />}
          {view && view.step > 0 && <Downloads training={training} view={view} />}
        </div>
      </div>
      <div class="figures">
        <LiveFilters view={view} />
        <div class="train-samples">
          {model ? (
            <RunPictures
              source={{ ...model, kind: "file", name: "the model" }}
              seed={1}
              hasFilters={false}
            />
          ) : (
            <p class="train-waiting">Samples appear when the fit has ended.</p>
          )}
        </div>
      </div>
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
          ? `Filters after ${stepsText(step)}: the rows of H, each in its own greys.`
          : "Filters: the rows of H, each in its own greys."
      }
    >
      <div class="train-filters">
        {filters ? (
          <Picture bitmap={filters.bitmap} description={`Filters after ${stepsText(step)}`} />
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
  const isFailed = view.status === "failed" && view.result !== null;
  const save = async (what: "model" | "checkpoint"): Promise<void> => {
    const kept = await training.keep(what);
    // What went wrong is said above.
    if (!kept) return;
    const { model, patch } = view.terms;
    const step = what === "model" && view.status === "done" ? "" : `-${kept.step}`;
    const kind = what === "model" && isFailed ? "last-good" : what;
    saveFile(`${model}-${patch}x${patch}${step}-${kind}.safetensors`, kept.bytes);
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
        {isFailed
          ? "Download the last good model"
          : isOver
            ? "Download the model"
            : "Download the model so far"}
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
  const isEarly = status === "done" && step < terms.steps;
  return (
    <>
      <p>
        {statusWords[status]} {step} of {terms.steps} steps
        {isEarly ? ": validations were no longer better" : ""}
      </p>
      <dl>
        <dt>ΔJ, fitted</dt>
        <dd>{last(false)}</dd>
        <dt>ΔJ, held out</dt>
        <dd>{last(true)}</dd>
        <dt>Rejected steps</dt>
        <dd>{rejectedSteps}</dd>
        <dt>Pictures fitted to, held out</dt>
        <dd>{counts ? `${counts.fitted}, ${counts.heldOut}` : "–"}</dd>
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

function stepsText(step: number): string {
  return step === 1 ? "1 step" : `${step} steps`;
}
