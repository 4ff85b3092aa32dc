/** The curve, filters, figures and downloads of a fit. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { fixed } from "../../../src/numbers/format-number.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import { Button } from "../../components/controls.js";
import { Problems } from "../../components/notice.js";
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
      <Problems sentences={problem === null ? [] : [problem]} onClose={training.closeProblem} />
      <Problems sentences={view?.skipped ?? []} onClose={training.closeSkipped} />
      <div class="figures">
        <div class="train-curve">
          <RunCurves
            curves={curves}
            quantity="difference"
            abscissa="step"
            waiting="The curve of ΔJ appears after the first step."
          />
        </div>
        <div class="train-outcome">
          {view && <Numbers view={view} records={records} />}
          {view && view.step > 0 && <Downloads training={training} view={view} />}
        </div>
      </div>
      <div class="figures">
        <LiveFilters filters={view?.filters ?? null} />
        <div class="train-samples">
          {model ? (
            <RunPictures
              source={{ ...model, kind: "file", name: "the model" }}
              seed={1}
              hasFilters={false}
            />
          ) : (
            <p class="train-waiting">Samples appear when the fit ends.</p>
          )}
        </div>
      </div>
    </section>
  );
}

function LiveFilters({ filters }: Pick<TrainingView, "filters">): VNode {
  const after = filters ? ` after ${filters.step} step${filters.step === 1 ? "" : "s"}` : "";
  return (
    <Figure caption={`Filters${after}: the rows of H, each on its own grey scale.`}>
      <div class="train-filters">
        {filters ? (
          <Picture bitmap={filters.bitmap} description={`Filters${after}`} />
        ) : (
          <p class="train-waiting">Filters appear after the first step.</p>
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
        Download the {isFailed ? "last good model" : isOver ? "model" : "model so far"}
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
  const isEarly = status === "done" && step < terms.steps;
  return (
    <>
      <p>
        {statusWords[status]} {step} of {terms.steps} steps
        {isEarly ? ": ΔJ of held-out pictures no longer improved" : ""}
      </p>
      <dl>
        <dt>ΔJ, training pictures</dt>
        <dd>{last(false)}</dd>
        <dt>ΔJ, held-out pictures</dt>
        <dd>{last(true)}</dd>
        <dt>Rejected steps</dt>
        <dd>{rejectedSteps}</dd>
        <dt>Pictures</dt>
        <dd>{counts ? `${counts.fitted} for training, ${counts.heldOut} held out` : "–"}</dd>
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
