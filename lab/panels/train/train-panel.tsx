/** Train: a model fitted to pictures in the page, while one looks on. */
import type { VNode } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Notice } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { compute } from "../../compute/compute.js";
import { sentenceOf } from "../../sentence-of.js";
import { useSettings } from "../../use-settings.js";
import { FitButtons } from "./fit-buttons.js";
import { FitCommands } from "./fit-commands.js";
import { ModelSettings } from "./model-settings.js";
import { OpenedFile, type Opened } from "./opened-file.js";
import { PictureControls, PictureList } from "./picture-list.js";
import { TrainExplanation } from "./train-explanation.js";
import type { CheckpointFiles } from "./train-job.js";
import { TrainPictures, patchesIn } from "./train-pictures.js";
import { type TrainState, termsOf, trainSettings } from "./train-settings.js";
import { Training } from "./training.js";
import { TrainingResults } from "./training-results.js";
import "./train.css";

/** Both outlive the panel: it may be opened anew after a mistake, while the fit goes on. */
const pictures = new TrainPictures();
const training = new Training();

export function TrainPanel(): VNode {
  const [state, change] = useSettings<TrainState>("train", trainSettings);
  const { opened, problem, open, close, closeProblem } = useOpenedFile();
  const names = state.photos.split(" ");
  const side = Number(state.patch);
  useEffect(() => {
    void pictures.load(names, side);
  }, [state.photos]);
  const take = useCallback(
    (files: readonly File[]) => {
      const models = files.filter(({ name }) => /\.safetensors$/i.test(name));
      const config = files.find(({ name }) => name === "config.json") ?? null;
      const others = files.filter((file) => !models.includes(file) && file !== config);
      if (models.length > 0) void open({ file: models[0], config });
      if (others.length > 0 || models.length === 0) void pictures.add(others, side);
    },
    [open, side],
  );
  const chosen = pictures.chosen(names);
  const patches = chosen.reduce((sum, picture) => sum + patchesIn(picture, side), 0);
  const files = chosen.flatMap(({ file, look }) => (file && look ? [file] : []));
  const isReady = files.length === chosen.length && patches > 0;
  const terms = termsOf(
    state,
    chosen.map(({ path }) => path),
  );
  return (
    <Panel
      title="Train"
      lead="Fit a density to patches of pictures, and watch filters appear. The model file is the one that the command line writes and reads."
      explanation={<TrainExplanation />}
      controls={
        <>
          <PictureControls {...{ state, change, pictures, onFiles: take }} />
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
        {...{ pictures: chosen, patches, side }}
        onRemove={(key) => {
          pictures.remove(key);
        }}
      />
      {opened && (
        <OpenedFile
          opened={opened}
          onClose={close}
          onGoOn={
            training.isRunning
              ? null
              : (from, ofCheckpoint) => {
                  if (!training.mayReplace()) return;
                  close();
                  void training.start({ pictures: files, terms: ofCheckpoint, from });
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

interface OpenedState {
  readonly opened: Opened | null;
  readonly problem: string | null;
  readonly open: (files: CheckpointFiles) => Promise<void>;
  readonly close: () => void;
  readonly closeProblem: () => void;
}

/** A model or a checkpoint that was dropped. One that cannot be read leaves the one before. */
function useOpenedFile(): OpenedState {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** What was asked for last: a file that takes longer must not come back after it. */
  const last = useRef<CheckpointFiles | null>(null);
  const open = useCallback(async (files: CheckpointFiles): Promise<void> => {
    last.current = files;
    setProblem(null);
    try {
      const content = await compute("openFile", files);
      if (last.current === files) setOpened({ files, content });
    } catch (error) {
      if (last.current === files) setProblem(sentenceOf(error));
    }
  }, []);
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  const close = useCallback(() => {
    last.current = null;
    setOpened(null);
    setProblem(null);
  }, []);
  return { opened, problem, open, close, closeProblem };
}
