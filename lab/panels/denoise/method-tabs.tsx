/** One tab for each method, with its button and progress. */
import type { VNode } from "preact";
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
  readonly denoising: DenoisingOfPanel;
  readonly looks: Looks | null;
  /** "Preparing boats.png …"; null if that takes only a moment. */
  readonly preparing: string | null;
  /** Reason why it cannot start. */
  readonly hindrance: string | null;
  readonly onStart: () => void;
}

const sentences: Readonly<Record<DenoiseState["method"], string>> = {
  gdn: "Generalized divisive normalization: a density fitted to noisy patches of photographs.",
  gsm: "Gaussian scale mixture: denoises each wavelet coefficient with its neighbours (Portilla et al., 2003).",
  marginal: "Denoises each wavelet coefficient on its own (Figueiredo & Nowak, 2001).",
};

/** CPU seconds for one channel of a million pixels, measured in Chromium on 512×512 grey pixels. */
const secondsPerMegapixel: Readonly<Record<Way, number>> = {
  "gdn-3": 21,
  "gdn-1": 12,
  gsm: 13,
  marginal: 3,
};

export function MethodTabs(props: MethodTabsProps): VNode {
  const { state, field, way, denoising, looks, preparing, hindrance, onStart } = props;
  const { state: run, way: running, reset } = denoising;
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
              { value: "3", label: "three, each with the previous estimate" },
              { value: "1", label: "one (eq. 7): faster" },
            ]}
          />
        )}
        <Button isMain disabled={isRunning || hindrance !== null} onClick={onStart}>
          Denoise
        </Button>
      </div>
      {preparing !== null && <Progress label={preparing} part={null} />}
      {preparing === null && isRunning && (
        <Progress
          label={`${running ? wayNames[running] : ""}: ${run.report ? stageText(run.report) : "Starting"}`}
          part={run.report?.part ?? null}
          text={run.report ? timeLeftText(run.seconds, run.report.part) : ""}
          onCancel={reset}
        />
      )}
      {preparing === null && !isRunning && (
        <p class="progress idle">{hindrance ?? (looks ? workText(looks, way) : "")}</p>
      )}
    </Tabs>
  );
}

/** Estimated time; nothing for short runs. */
function workText({ width, height, channels }: Looks, way: Way): string {
  const megapixels = (width * height) / 1e6;
  const seconds = megapixels * channels * secondsPerMegapixel[way];
  if (seconds < 10) return "";
  const of = channels === 1 ? "" : ` in ${channels} channels`;
  return `${fixed(megapixels, 1)} megapixels${of} take about ${durationText(seconds)} on one core. You can use the page meanwhile.`;
}
