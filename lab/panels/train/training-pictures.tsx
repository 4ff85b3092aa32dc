/** Filters and samples of a fit, also while it runs. */
import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button, Slider } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { RunPictures } from "../../components/run-pictures.js";
import { useIsOpen, useWhileOpen } from "../../is-open.js";
import { namedFile } from "../../named-file.js";
import { type HistoryEntry, bitmapOf } from "./filter-history.js";
import type { Training } from "./training.js";

interface PicturesProps {
  readonly training: Training;
}

/** The filters at any step so far; they follow the fit until the user looks back. */
export function FilterScrubber({ training }: PicturesProps): VNode {
  const history = useWhileOpen(training.history);
  const [wanted, setWanted] = useState<number | null>(null);
  const last = history.length - 1;
  const place = wanted === null ? last : nearestEntry(history, wanted);
  const entry = history.at(Math.max(0, place));
  const bitmap = useMemo(() => entry && bitmapOf(entry), [entry]);
  const after = entry ? ` after ${entry.step} step${entry.step === 1 ? "" : "s"}` : "";
  return (
    <Figure caption={`Filters${after}: the rows of H, each on its own grey scale.`}>
      <div class="train-filters">
        {bitmap ? (
          <Picture bitmap={bitmap} description={`Filters${after}`} />
        ) : (
          <p class="train-waiting">Filters appear after the first step.</p>
        )}
      </div>
      <div class="train-scrubber">
        <Slider
          label="Look back to step"
          value={Math.max(0, place)}
          least={0}
          most={Math.max(1, last)}
          text={entry ? String(entry.step) : "–"}
          disabled={last < 1}
          onChange={(k) => {
            setWanted(k >= last ? null : history[k].step);
          }}
        />
        <Button
          disabled={wanted === null}
          onClick={() => {
            setWanted(null);
          }}
        >
          Latest
        </Button>
      </div>
    </Figure>
  );
}

/** Returns the last entry that is not after a step: the history may have lost the entry itself. */
function nearestEntry(history: readonly HistoryEntry[], step: number): number {
  return Math.max(
    0,
    history.findLastIndex((entry) => entry.step <= step),
  );
}

/** Samples of the model so far, and of the final one. */
export function TrainingSamples({ training }: PicturesProps): VNode {
  const view = useWhileOpen(training.view);
  const soFar = useWhileOpen(training.modelSoFar);
  const isOpen = useIsOpen();
  const isRunning = view?.status === "running";
  const filtersStep = view?.filters?.step ?? 0;
  useEffect(() => {
    if (isOpen && isRunning && filtersStep > 0) void training.lookAtModel();
  }, [isOpen, isRunning, filtersStep]);
  const file = view?.file ?? null;
  const model = useMemo(() => file && namedFile(file), [file]);
  const early = useMemo(() => soFar && namedFile(soFar.file), [soFar]);
  return (
    <div class="train-samples">
      {model ? (
        <RunPictures
          source={{ ...model, kind: "file", name: "the model" }}
          seed={1}
          hasFilters={false}
        />
      ) : early && isRunning ? (
        <RunPictures
          source={{ ...early, kind: "growing", name: `the model after ${soFar?.step ?? 0} steps` }}
          seed={1}
          hasFilters={false}
        />
      ) : (
        <p class="train-waiting">Samples appear during the fit.</p>
      )}
    </div>
  );
}
