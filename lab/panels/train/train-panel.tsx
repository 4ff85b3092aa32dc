/** Train: fits a model to pictures in the page. */
import type { VNode } from "preact";
import { useCallback, useEffect } from "preact/hooks";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useSettings } from "../../use-settings.js";
import { FitButtons, FitCommands, ModelSettings } from "./fit-controls.js";
import { type Opened, OpenedFile, useOpenedFile } from "./opened-file.js";
import { PictureControls, PictureList } from "./picture-list.js";
import { readinessOf } from "./readiness.js";
import { TrainPictures, patchesIn, sortedFiles } from "./train-pictures.js";
import { type TrainState, patchOf, termsOf, trainSettings } from "./train-settings.js";
import { Training } from "./training.js";
import { TrainingResults } from "./training-results.js";
import "./train.css";

/** Both outlive the panel, which may be opened again after an error while the fit continues. */
const pictures = new TrainPictures();
const training = new Training();

export function TrainPanel(): VNode {
  const [state, change] = useSettings<TrainState>("train", trainSettings);
  const { opened, problems, reading, open, close, reopen, closeProblem } = useOpenedFile();
  const names = state.photos.split(" ");
  const side = patchOf(state);
  useEffect(() => {
    void pictures.load(names, side);
  }, [state.photos]);
  const take = useCallback(
    (files: readonly File[]) => {
      const { toOpen, pictures: others, leftOut } = sortedFiles(files);
      open(toOpen);
      void pictures.add(others, side, leftOut);
    },
    [open, side],
  );
  const chosen = pictures.chosen(names);
  const patches = chosen.reduce((sum, picture) => sum + patchesIn(picture, side), 0);
  const files = chosen.flatMap(({ file, look }) => (file && look ? [file] : []));
  const isReading = pictures.reading.value !== null;
  const terms = termsOf(
    state,
    chosen.map(({ path }) => path),
  );
  const { model, steps } = terms;
  const { isReady, text } = readinessOf({ pictures: chosen, side, isReading, model, steps });
  const fit = (): void => {
    if (!training.mayReplace()) return;
    close();
    void training.start({ pictures: files, terms, from: "the start" });
  };
  const resume = async (from: Opened, ofCheckpoint: FitTerms): Promise<void> => {
    if (!training.mayReplace()) return;
    close();
    await training.start({ pictures: files, terms: ofCheckpoint, from: from.files });
    // The fit did not start, for example because pictures are missing.
    if (training.view.value?.step === 0) reopen(from);
  };
  return (
    <Panel
      title="Train"
      lead="Fit a density to patches of pictures and watch its filters form. The command line reads and writes the same model files."
      actions={<FitButtons training={training} onFit={isReady ? fit : null} idle={text} />}
      controls={
        <>
          <PictureControls
            state={state}
            change={change}
            pictures={pictures}
            opening={reading}
            onFiles={take}
          />
          <ModelSettings state={state} terms={terms} change={change} />
        </>
      }
    >
      <Problems sentences={pictures.problems.value} onClose={pictures.closeProblem} />
      <Problems sentences={problems} onClose={closeProblem} />
      <PictureList
        pictures={chosen}
        patches={patches}
        side={side}
        isReading={isReading}
        onRemove={pictures.remove}
      />
      {opened && (
        <OpenedFile
          opened={opened}
          onClose={close}
          onResume={
            training.isRunning || isReading
              ? null
              : (ofCheckpoint) => {
                  void resume(opened, ofCheckpoint);
                }
          }
        />
      )}
      {(training.view.value !== null || opened === null) && (
        <TrainingResults training={training} state={state} change={change} />
      )}
      <FitCommands
        terms={terms}
        ofCheckpoint={opened?.facts.kind === "checkpoint" ? opened.facts.terms : null}
        ofFit={training.view.value?.terms ?? null}
      />
    </Panel>
  );
}
