/** One tab for each method, and the button and progress of the chosen one. */
import type { VNode } from "preact";
import { Button } from "../../components/controls.js";
import { ActionBar } from "../../components/panel.js";
import { Progress } from "../../components/progress.js";
import { Tabs } from "../../components/tabs.js";
import { useElapsed } from "../../use-elapsed.js";
import type { Fields } from "../../use-settings.js";
import type { Looks } from "./denoise-jobs.js";
import { type DenoiseState, type Way, wayNames } from "./settings.js";
import type { DenoisingOfPanel } from "./use-denoising.js";
import { leftText, workText } from "./time-estimate.js";
import { stageText } from "./words.js";

interface MethodProps {
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

/** The method and its choices. */
export function MethodTabs({ state, field }: Pick<MethodProps, "state" | "field">): VNode {
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
    </Tabs>
  );
}

/** The button that starts the chosen method, and its progress. */
export function DenoiseActions(props: Omit<MethodProps, "state" | "field">): VNode {
  const { way, denoising, looks, preparing, hindrance, onStart } = props;
  const { state: run, running, expected, reset } = denoising;
  const isRunning = run.status === "running";
  const elapsed = useElapsed(isRunning ? (running?.start ?? null) : null);
  return (
    <ActionBar
      buttons={
        <>
          <Button isMain disabled={isRunning || hindrance !== null} onClick={onStart}>
            Denoise
          </Button>
          {preparing === null && isRunning && <Button onClick={reset}>Cancel</Button>}
        </>
      }
    >
      {preparing !== null && <Progress label={preparing} part={null} />}
      {preparing === null && isRunning && running && (
        <Progress
          label={`${wayNames[running.way]}: ${run.report ? stageText(run.report) : "Starting"}`}
          part={run.report?.part ?? null}
          text={leftText({ ...running, elapsed, part: run.report?.part ?? 0 })}
        />
      )}
      {preparing === null && !isRunning && (
        <p>
          {hindrance ?? `${wayNames[way]}${looks ? `: ${workText(expected(looks, way))}` : ""}`}
        </p>
      )}
    </ActionBar>
  );
}
