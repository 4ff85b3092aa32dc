/** Live example: a GDN is fitted to pairs of numbers. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button, Choice } from "../../lab/components/controls.js";
import { Notice } from "../../lab/components/notice.js";
import { type PairFit, resultOf, usePairFits } from "../../lab/panels/pairs/pair-fits.js";
import { PairPlot } from "../../lab/panels/pairs/pair-plot.js";
import type { PairView } from "../../lab/panels/pairs/pairs-jobs.js";
import type { PairsState } from "../../lab/panels/pairs/pairs-settings.js";
import { usePairs } from "../../lab/panels/pairs/use-pairs.js";
import pairsStyle from "../../lab/panels/pairs/pairs.css?inline";
import { fixed } from "../../src/numbers/format-number.js";
import liveStyle from "./live.css?inline";

export const styles = [pairsStyle, liveStyle];

type Data = "wavelets" | "independent" | "elliptical";

const choices: readonly { readonly value: Data; readonly label: string }[] = [
  { value: "wavelets", label: "wavelet coefficients" },
  { value: "independent", label: "independent, rotated" },
  { value: "elliptical", label: "elliptical" },
];

const settings: Omit<PairsState, "data"> = {
  photograph: "black-canyon",
  orientation: "vertical",
  separation: 2,
  pairs: "20000",
  models: "gdn",
  steps: 600,
  seed: 1,
};
const noFiles = { picture: null, table: null };
const noCloud: readonly never[] = [];

export function Example(): VNode {
  const [data, setData] = useState<Data>("wavelets");
  const { source, view, isLoading, problem } = usePairs({ ...settings, data }, noFiles, noCloud);
  const fits = usePairFits(source);
  const fit = fits.shown.value.get("gdn");
  const isRunning = fit?.state.status === "running";
  const start = (): void => {
    if (!source) return;
    const { steps, seed } = settings;
    fits.start([{ source, model: "gdn", steps, seed: String(seed) }]);
  };
  return (
    <div class="live">
      <div class="row">
        <Choice label="Pairs" value={data} choices={choices} onChange={setData} />
        <Button isMain disabled={isLoading || isRunning || !view} onClick={start}>
          Fit a GDN
        </Button>
      </div>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <Plots view={view} fit={fit} />
      <p class="words" role="status">
        {wordsOf(view, fit)}
      </p>
    </div>
  );
}

function Plots({ view, fit }: { view: PairView | null; fit: PairFit | undefined }): VNode {
  const frame = fit?.frames.at(-1);
  return (
    <div class="plots">
      <figure>
        {view ? (
          <PairPlot
            points={view.shown}
            lines={[
              { path: view.contours, kind: "histogram" },
              { path: frame?.contours ?? "", kind: "model" },
            ]}
            description="The pairs x, with contours of their histogram and of the fitted density"
          />
        ) : (
          <div class="waiting">Loading …</div>
        )}
        <figcaption>The data x. Dashed: their histogram. Solid: the fitted density.</figcaption>
      </figure>
      <figure>
        {view ? (
          <PairPlot
            points={frame?.y ?? view.shown}
            lines={[]}
            circles={[1, 2, 3]}
            description="The transformed pairs y, with circles of radius 1, 2 and 3"
          />
        ) : (
          <div class="waiting" />
        )}
        <figcaption>The transformed data y. Circles: a normal distribution.</figcaption>
      </figure>
    </div>
  );
}

function wordsOf(view: PairView | null, fit: PairFit | undefined): string {
  if (!view) return "";
  const before = `Mutual information before: ${fixed(view.informationInBits, 3)} bits`;
  const frame = fit?.frames.at(-1);
  const result = resultOf(fit);
  if (fit?.state.status === "failed") return fit.state.problem;
  if (result) {
    const { informationInBits, informationErrorInBits } = result;
    return `${before}, after the fit: ${fixed(informationInBits, 3)} ± ${fixed(informationErrorInBits, 3)} bits.`;
  }
  if (fit && frame) {
    return `${before}, at step ${frame.step} of ${fit.steps}: ${fixed(frame.informationInBits, 3)} bits.`;
  }
  return `${before}.`;
}
