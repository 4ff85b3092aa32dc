/** One tab for each method, with its button and its progress. */
import type { VNode } from "preact";
import { Button, Choice } from "../../components/controls.js";
import { Progress } from "../../components/progress.js";
import { Tabs } from "../../components/tabs.js";
import type { Looks } from "./denoise-jobs.js";
import { type DenoiseState, type Way, wayNames } from "./settings.js";
import type { Run } from "./use-denoising.js";
import { durationText, stageText, timeLeftText } from "./words.js";

interface MethodTabsProps {
  readonly state: DenoiseState;
  readonly change: (part: Partial<DenoiseState>) => void;
  readonly way: Way;
  readonly run: Run | null;
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

/** Of all cores together, for a channel of a million pixels: measured in Chromium, with 512×512 grey pixels. */
const secondsPerMegapixel: Readonly<Record<Way, number>> = {
  "gdn-3": 21,
  "gdn-1": 12,
  gsm: 13,
  marginal: 3,
};

export function MethodTabs(props: MethodTabsProps): VNode {
  const { state, change, way, run, looks, preparing, hindrance, onStart, onCancel } = props;
  return (
    <Tabs
      label="Method"
      value={state.method}
      tabs={[
        { value: "gdn", label: "GDN" },
        { value: "gsm", label: "GSM" },
        { value: "marginal", label: "Marginal" },
      ]}
      onChange={(method) => {
        change({ method });
      }}
    >
      <p class="method">{sentences[state.method]}</p>
      <div class="start">
        {state.method === "gdn" && (
          <Choice
            label="Rounds"
            value={state.rounds}
            choices={[
              { value: "3", label: "three: again with what was found" },
              { value: "1", label: "one look, eq. (7): faster" },
            ]}
            onChange={(rounds) => {
              change({ rounds });
            }}
          />
        )}
        <Button isMain disabled={run !== null || hindrance !== null} onClick={onStart}>
          Denoise
        </Button>
      </div>
      {preparing !== null && <Progress label={preparing} part={null} />}
      {preparing === null && run && <RunProgress run={run} onCancel={onCancel} />}
      {preparing === null && !run && (
        <p class="progress idle">{hindrance ?? (looks ? workText(looks, way) : "")}</p>
      )}
    </Tabs>
  );
}

function RunProgress({
  run,
  onCancel,
}: {
  readonly run: Run;
  readonly onCancel: () => void;
}): VNode {
  const { stage, way, seconds } = run;
  const label = stage ? stageText(stage) : "Starting";
  const left = stage ? timeLeftText(seconds, stage.part) : "";
  return (
    <Progress
      label={`${wayNames[way]}: ${label}`}
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
  return `${megapixels.toFixed(1)} megapixels${of} take about ${durationText(seconds)} of one core; the page stays usable meanwhile.`;
}
