/** Train: a model fitted to pictures in the page, while one looks on. */
import type { VNode } from "preact";
import { useCallback, useEffect } from "preact/hooks";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { Objective } from "../../components/equations.js";
import { Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useSettings } from "../../use-settings.js";
import { FitButtons, FitCommands } from "./fit-buttons.js";
import { ModelSettings } from "./model-settings.js";
import { type Opened, OpenedFile, useOpenedFile } from "./opened-file.js";
import { PictureControls, PictureList } from "./picture-list.js";
import { TrainPictures, patchesIn, sortedFiles } from "./train-pictures.js";
import { type TrainState, patchOf, termsOf, trainSettings } from "./train-settings.js";
import { Training } from "./training.js";
import { TrainingResults } from "./training-results.js";
import "./train.css";

/** Both outlive the panel: it may be opened anew after a mistake, while the fit goes on. */
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
          <PictureControls
            state={state}
            change={change}
            pictures={pictures}
            opening={reading}
            onFiles={take}
          />
          <ModelSettings state={state} terms={terms} change={change} />
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
      <Problems
        sentences={pictures.problems.value}
        onClose={(sentence) => {
          pictures.closeProblem(sentence);
        }}
      />
      <Problems sentences={problems} onClose={closeProblem} />
      <PictureList
        pictures={chosen}
        patches={patches}
        side={side}
        isReading={isReading}
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
        ofCheckpoint={opened?.facts.kind === "checkpoint" ? opened.facts.terms : null}
        ofFit={training.view.value?.terms ?? null}
      />
    </Panel>
  );
}

/** For those who have not read the paper. */
function TrainExplanation(): VNode {
  return (
    <>
      <p>
        A density of patches is found by looking for a transform <i>y</i> = <i>g</i>(<i>x</i>) that
        makes them normal. Each step takes some patches at random and lowers, by the gradient, the
        mean over them of
      </p>
      <Objective />
      <p>
        which is the negative log-likelihood up to a constant: <i>y</i> is to be small, but <i>g</i>{" "}
        must not get there by shrinking everything. The steps are Adam’s: each parameter moves by
        its mean gradient over the root of its mean square. A step after which a patch has no
        density any more is rejected.
      </p>
      <p>
        <strong>ΔJ</strong> is that mean less the one of ½‖<i>x</i>‖², for each pixel: the change of
        the negentropy, which is the distance from a normal distribution. Lower is better. The
        dotted line is of pictures that no step looks at; the model that is kept is the one that was
        best there.
      </p>
      <p>
        First a curve makes single pixels normal. Then <i>g</i> is <i>z</i> = <i>Hx</i>, where each
        row of <i>H</i> is a <strong>filter</strong>, and a division of each <i>z</i> by a pool of
        all of them. <i>H</i> begins by making pixels uncorrelated, with filters that are dots; over
        a thousand steps and more, oriented edges appear among them.
      </p>
    </>
  );
}
