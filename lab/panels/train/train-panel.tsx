/** Train: a model fitted to pictures in the page, while one looks on. */
import type { VNode } from "preact";
import { useCallback, useEffect } from "preact/hooks";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { Notice } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useSettings } from "../../use-settings.js";
import { FitButtons } from "./fit-buttons.js";
import { FitCommands } from "./fit-commands.js";
import { ModelSettings } from "./model-settings.js";
import { OpenedFile } from "./opened-file.js";
import { PictureControls, PictureList } from "./picture-list.js";
import { sortedFiles } from "./sorted-files.js";
import { TrainExplanation } from "./train-explanation.js";
import { TrainPictures, patchesIn } from "./train-pictures.js";
import { type TrainState, termsOf, trainSettings } from "./train-settings.js";
import { Training } from "./training.js";
import { TrainingResults } from "./training-results.js";
import { type Opened, useOpenedFile } from "./use-opened-file.js";
import "./train.css";

/** Both outlive the panel: it may be opened anew after a mistake, while the fit goes on. */
const pictures = new TrainPictures();
const training = new Training();

export function TrainPanel(): VNode {
  const [state, change] = useSettings<TrainState>("train", trainSettings);
  const { opened, problem, reading, open, close, reopen, closeProblem } = useOpenedFile();
  const names = state.photos.split(" ");
  const side = Number(state.patch);
  useEffect(() => {
    void pictures.load(names, side);
  }, [state.photos]);
  const take = useCallback(
    (files: readonly File[]) => {
      const { toOpen, pictures: others, leftOut } = sortedFiles(files);
      // What was said of the files before is no longer of use.
      closeProblem();
      if (toOpen) void open(toOpen);
      void pictures.add(others, side, leftOut);
    },
    [open, closeProblem, side],
  );
  const chosen = pictures.chosen(names);
  const patches = chosen.reduce((sum, picture) => sum + patchesIn(picture, side), 0);
  const files = chosen.flatMap(({ file, look }) => (file && look ? [file] : []));
  const isReading = pictures.reading.value !== null;
  const isReady = !isReading && files.length === chosen.length && patches > 0;
  const terms = termsOf(
    state,
    chosen.map(({ path }) => path),
  );
  const goOn = async (from: Opened, ofCheckpoint: FitTerms): Promise<void> => {
    if (!training.mayReplace()) return;
    close();
    await training.start({ pictures: files, terms: ofCheckpoint, from: from.files });
    // It never began, as where pictures are missing: whoever adds them need not drop it again.
    if (training.view.value?.step === 0) reopen(from);
  };
  return (
    <Panel
      title="Train"
      lead="Fit a density to patches of pictures, and watch filters appear. The model file is the one that the command line writes and reads."
      explanation={<TrainExplanation />}
      controls={
        <>
          <PictureControls {...{ state, change, pictures, opening: reading, onFiles: take }} />
          <ModelSettings {...{ state, change }} />
          <FitButtons
            training={training}
            onFit={
              isReady
                ? () => {
                    if (!training.mayReplace()) return;
                    close();
                    void training.start({ pictures: files, terms, from: "the start" });
                  }
                : null
            }
          />
        </>
      }
    >
      {pictures.problems.value.map((sentence) => (
        <Notice
          key={sentence}
          kind="problem"
          onClose={() => {
            pictures.closeProblem(sentence);
          }}
        >
          {sentence}
        </Notice>
      ))}
      {problem !== null && (
        <Notice kind="problem" onClose={closeProblem}>
          {problem}
        </Notice>
      )}
      <PictureList
        {...{ pictures: chosen, patches, side, isReading }}
        onRemove={(key) => {
          pictures.remove(key);
        }}
      />
      {opened && (
        <OpenedFile
          opened={opened}
          onClose={close}
          onGoOn={
            training.isRunning || isReading
              ? null
              : (ofCheckpoint) => {
                  void goOn(opened, ofCheckpoint);
                }
          }
        />
      )}
      {(training.view.value !== null || opened === null) && <TrainingResults training={training} />}
      <FitCommands
        terms={terms}
        ofCheckpoint={opened?.content.kind === "checkpoint" ? opened.content.terms : null}
        ofFit={training.view.value?.terms ?? null}
      />
    </Panel>
  );
}
