/** One tab for each method, with its button and its progress. */
import type { VNode } from "preact";
import type { DenoisingStage } from "../../../src/denoising/picture-denoiser.js";
import { fixed } from "../../../src/numbers/format-number.js";
import { Button, Choice } from "../../components/controls.js";
import { Progress } from "../../components/progress.js";
import { Tabs } from "../../components/tabs.js";
import type { Fields } from "../../use-settings.js";
import type { Looks } from "./denoise-jobs.js";
import { type DenoiseState, type Way, wayNames } from "./settings.js";
import type { DenoisingOfPanel } from "./use-denoising.js";
import { durationText, stageText, timeLeftText } from "./words.js";

interface MethodTabsProps {
  readonly state: DenoiseState;
  readonly field: Fields<DenoiseState>;
  readonly way: Way;
  readonly run: DenoisingOfPanel["state"];
  /** The way that runs. */
  readonly running: Way | null;
  readonly looks: Looks | null;
  /** "Preparing boats.png …", where it takes long enough to be read. */
  readonly preparing: string | null;
  /** Why it cannot start. */
  readonly hindrance: string | null;
  readonly onStart: () => void;
  readonly onCancel: () => void;
}

const sentences: Readonly<Record<DenoiseState["method"], string>> = {
  gdn: "The density of this project: generalized divisive normalization, fitted to noisy patches of photographs.",
  gsm: "In wavelets, each coefficient by those around it: Gaussian scale mixtures (Portilla and others, 2003).",
  marginal: "In wavelets, each coefficient by itself (Figueiredo & Nowak, 2001).",
};

/**
 * Seconds of all cores together, for a channel of a million pixels: measured in Chromium, with
 * 512×512 grey pixels.
 */
const secondsPerMegapixel: Readonly<Record<Way, number>> = {
  "gdn-3": 21,
  "gdn-1": 12,
  gsm: 13,
  marginal: 3,
};

export function MethodTabs(props: MethodTabsProps): VNode {
  const { state, field, way, run, running, looks, preparing, hindrance, onStart, onCancel } = props;
  const isRunning = run.status === "running";
  return (
    <Tabs
      label="Method"
      {...field("method")}
      tabs={[
        { value: "gdn", label: "GDN" },
        { value: "gsm", label: "GSM" },
        { value: "marginal", label: "Marginal" },
      ]}
    >
      <p class="method">{sentences[state.method]}</p>
      <div class="start">
        {state.method === "gdn" && (
          <Choice
            label="Rounds"
            {...field("rounds")}
            choices={[
              { value: "3", label: "three: again with what was found" },
              { value: "1", label: "one look, eq. (7): faster" },
            ]}
          />
        )}
        <Button isMain disabled={isRunning || hindrance !== null} onClick={onStart}>
          Denoise
        </Button>
      </div>
      {preparing !== null && <Progress label={preparing} part={null} />}
      {preparing === null && isRunning && (
        <RunProgress
          name={running ? wayNames[running] : ""}
          stage={run.report}
          seconds={run.seconds}
          onCancel={onCancel}
        />
      )}
      {preparing === null && !isRunning && (
        <p class="progress idle">{hindrance ?? (looks ? workText(looks, way) : "")}</p>
      )}
    </Tabs>
  );
}

interface RunProgressProps {
  /** Name of the way. */
  readonly name: string;
  readonly stage: DenoisingStage | null;
  readonly seconds: number;
  readonly onCancel: () => void;
}

function RunProgress({ name, stage, seconds, onCancel }: RunProgressProps): VNode {
  const label = stage ? stageText(stage) : "Starting";
  const left = stage ? timeLeftText(seconds, stage.part) : "";
  return (
    <Progress
      label={`${name}: ${label}`}
      part={stage ? stage.part : null}
      text={left}
      onCancel={onCancel}
    />
  );
}

/** Nothing is said of what is done at once. */
function workText({ width, height, channels }: Looks, way: Way): string {
  const megapixels = (width * height) / 1e6;
  const seconds = megapixels * channels * secondsPerMegapixel[way];
  if (seconds < 10) return "";
  const of = channels === 1 ? "" : ` in ${channels} channels`;
  return `${fixed(megapixels, 1)} megapixels${of} take about ${durationText(seconds)} of one core; the page stays usable meanwhile.`;
}
