/** Live example: the middle of a photograph gets noise, and a GDN removes it. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Comparison } from "../../lab/components/comparison.js";
import { Button, Choice } from "../../lab/components/controls.js";
import { Notice } from "../../lab/components/notice.js";
import { Progress } from "../../lab/components/progress.js";
import denoiseStyle from "../../lab/panels/denoise/denoise.css?inline";
import type { DenoiseState } from "../../lab/panels/denoise/settings.js";
import { useDenoising } from "../../lab/panels/denoise/use-denoising.js";
import { useSubject } from "../../lab/panels/denoise/use-subject.js";
import { fixed } from "../../src/numbers/format-number.js";
import liveStyle from "./live.css?inline";

export const styles = [denoiseStyle, liveStyle];

const levels = ["15", "25", "50"] as const;
const way = "gdn-3";

export function Example(): VNode {
  const [level, setLevel] = useState<(typeof levels)[number]>("25");
  const sigma = Number(level);
  const state = useMemo<DenoiseState>(() => stateOf(sigma), [sigma]);
  const { subject, prepared, isReady, problem } = useSubject(state, null);
  const looks = prepared?.looks ?? null;
  const denoising = useDenoising(subject, looks);
  const { state: run, results } = denoising;
  const result = results.get(way);
  const before = isReady ? (prepared?.figures?.quality?.psnr ?? null) : null;
  const after = result?.quality?.psnr ?? null;
  const failure = problem ?? (run.status === "failed" ? run.problem : null);
  return (
    <div class="live">
      <div class="row">
        <Choice
          label="Noise"
          value={level}
          choices={levels.map((value) => ({ value, label: `σ = ${value} of 255 grey levels` }))}
          onChange={setLevel}
        />
        <Button
          isMain
          disabled={!isReady || run.status === "running"}
          onClick={() => {
            void denoising.start(way, { method: "gdn", rounds: undefined, sigma });
          }}
        >
          Denoise
        </Button>
      </div>
      {failure !== null && <Notice kind="problem">{failure}</Notice>}
      {looks ? (
        <Comparison
          left={{ label: "noisy", file: looks.noisy }}
          right={result ? { label: "denoised", file: result.picture } : null}
          width={looks.width}
          height={looks.height}
          zoom={null}
        />
      ) : (
        <div class="waiting">Loading the photograph …</div>
      )}
      {run.status === "running" && (
        <Progress label="Denoising" part={run.report?.part ?? null} onCancel={denoising.reset} />
      )}
      <p class="words" role="status">
        {before !== null && `Noisy: PSNR ${fixed(before, 2)} dB. `}
        {after !== null && `Denoised: ${fixed(after, 2)} dB. Move the line to compare.`}
      </p>
    </div>
  );
}

function stateOf(added: number): DenoiseState {
  return {
    photo: "nagasaki-boats",
    part: "256",
    noise: "add",
    added,
    seed: 1,
    sigma: "known",
    given: added,
    method: "gdn",
    rounds: "3",
  };
}
