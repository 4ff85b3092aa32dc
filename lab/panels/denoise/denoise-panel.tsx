import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Comparison, useBlobAddress } from "../../components/comparison.js";
import { Button, Choice } from "../../components/controls.js";
import { Notice, Problems } from "../../components/notice.js";
import { Figure, Panel } from "../../components/panel.js";
import { useLasting } from "../../use-lasting.js";
import { useSettings } from "../../use-settings.js";
import { DenoiseControls } from "./denoise-controls.js";
import { DenoiseExplanation } from "./denoise-explanation.js";
import type { Denoised, Looks } from "./denoise-jobs.js";
import { MethodTabs } from "./method-tabs.js";
import { QualityTable } from "./quality-table.js";
import { type Way, denoiseSettings, sigmaOf, wayNames, wayOf } from "./settings.js";
import { useDenoising } from "./use-denoising.js";
import { useOwnPicture } from "./use-own-picture.js";
import { useSubject } from "./use-subject.js";
import { downloadName, preparingText, warningText } from "./words.js";
import "../../styles/comparison.css";
import "../../styles/tabs.css";
import "./denoise.css";

export function DenoisePanel(): VNode {
  const [state, change, field] = useSettings("denoise", denoiseSettings);
  const picture = useOwnPicture(state, change);
  const shown = useSubject(state, picture.held.own);
  const { subject, prepared, isReady } = shown;
  const denoising = useDenoising(subject);
  const { results, state: run } = denoising;
  const way = wayOf(state);
  const sigma = sigmaOf(state);
  const looks = prepared?.looks ?? null;
  const isReading = picture.reading !== null;
  const isBusy = isReading || shown.preparing !== null;
  const isCurrent = isReady && !isReading;
  // A slider that moves makes another small picture at once: nobody could read what is said of it.
  const isOld = useLasting(!isCurrent) || isReading;
  const figures = isCurrent ? (prepared?.figures ?? null) : null;
  const result = results.get(way);
  const hindrance = sigma === 0 ? "Without noise there is nothing to take out." : null;
  return (
    <Panel
      title="Denoise"
      lead="Take the noise out of a picture, with a density of image patches or in wavelets, and see what is lost and what comes back."
      controls={
        <DenoiseControls
          state={state}
          field={field}
          picture={picture}
          figures={figures}
          looks={isOld ? null : looks}
        />
      }
      explanation={<DenoiseExplanation />}
    >
      <MethodTabs
        state={state}
        field={field}
        way={way}
        run={run}
        running={denoising.way}
        looks={looks}
        preparing={isOld && isBusy ? preparingText(picture.reading, shown.preparing) : null}
        hindrance={isCurrent ? hindrance : ""}
        onStart={() => {
          const rounds = state.rounds === "1" ? 1 : undefined;
          const isGdn = state.method === "gdn";
          void denoising.start(way, {
            method: state.method,
            rounds: isGdn ? rounds : undefined,
            sigma,
          });
        }}
        onCancel={denoising.cancel}
      />
      {shown.problem !== null && <NotPrepared problem={shown.problem} onAgain={shown.tryAgain} />}
      <Problems sentences={picture.problems} onClose={picture.closeProblem} />
      {run.status === "failed" && (
        <Notice kind="problem" onClose={denoising.closeProblem}>
          {run.problem}
        </Notice>
      )}
      {result && <Remarks result={result} />}
      {looks && (
        // What nothing comes to replace only keeps its room: it is not for use.
        <div class={isOld ? "subject old" : "subject"} aria-busy={isBusy} inert={isOld && !isBusy}>
          <Pictures name={prepared?.name ?? ""} result={result ?? null} looks={looks} way={way} />
          <QualityTable figures={figures} results={results} isAwaited={shown.problem === null} />
        </div>
      )}
      {!looks && shown.problem === null && <div class="subject-waiting">Loading the picture …</div>}
    </Panel>
  );
}

interface NotPreparedProps {
  readonly problem: string;
  readonly onAgain: () => void;
}

/** It cannot be put away: nothing else says why there is no picture. */
function NotPrepared({ problem, onAgain }: NotPreparedProps): VNode {
  return (
    <>
      <Notice kind="problem">{problem}</Notice>
      <div class="buttons">
        <Button onClick={onAgain}>Try again</Button>
      </div>
    </>
  );
}

function Remarks({ result }: { readonly result: Denoised }): VNode {
  const { isUnchanged, warnings } = result;
  return (
    <>
      {isUnchanged && (
        <Notice kind="news">
          There is too little noise to be told from the picture: it is left as it is.
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning.kind} kind="news">
          {warningText(warning)}
        </Notice>
      ))}
    </>
  );
}

interface PicturesProps {
  /** Name of the file. */
  readonly name: string;
  readonly looks: Looks;
  readonly result: Denoised | null;
  readonly way: Way;
}

const zooms = { fit: null, one: 1, two: 2, four: 4 } as const;

function Pictures({ name, looks, result, way }: PicturesProps): VNode {
  const [zoom, setZoom] = useState<keyof typeof zooms>("fit");
  const [before, setBefore] = useState<"noisy" | "clean">("noisy");
  const noisy = { label: "noisy", file: looks.noisy };
  const left = before === "clean" && looks.clean ? { label: "clean", file: looks.clean } : noisy;
  const denoised = result && { label: wayNames[way], file: result.picture };
  const right = denoised ?? (left === noisy ? null : noisy);
  return (
    <Figure
      caption={
        right
          ? `Move the line: ${left.label} on the left of it, ${right.label} on the right.`
          : "The noisy picture. What comes of it will appear beside it."
      }
    >
      <div class="viewing">
        <Choice
          label="Left"
          value={left.label === "clean" ? "clean" : "noisy"}
          choices={[
            { value: "noisy", label: "noisy" },
            ...(looks.clean ? [{ value: "clean", label: "clean" } as const] : []),
          ]}
          onChange={setBefore}
        />
        <Choice
          label="Size"
          value={zoom}
          choices={[
            { value: "fit", label: "as wide as here" },
            { value: "one", label: "1:1" },
            { value: "two", label: "2:1" },
            { value: "four", label: "4:1" },
          ]}
          onChange={setZoom}
        />
        <Download name={name} result={result} way={way} />
      </div>
      <Comparison
        left={left}
        right={right}
        width={looks.width}
        height={looks.height}
        zoom={zooms[zoom]}
      />
    </Figure>
  );
}

function Download({ name, result, way }: Omit<PicturesProps, "looks">): VNode {
  const address = useBlobAddress(result?.picture ?? null);
  if (!result || address === null) {
    return (
      <Button disabled onClick={() => undefined}>
        Download PNG
      </Button>
    );
  }
  return (
    <a class="button" href={address} download={downloadName(name, way, result.sigma)}>
      Download PNG
    </a>
  );
}
