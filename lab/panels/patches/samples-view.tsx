import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Button, NumberField, Slider } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-job.js";
import { keyOfModel } from "./model-source.js";
import { type ChangePatches, type PatchesState, sampleCount } from "./settings.js";
import type { ViewProps } from "./view-props.js";
import { fixed } from "../../components/numbers.js";

export function SamplesView({ state, change, model, title, picture }: ViewProps): VNode {
  const { seed, temperature, from, to } = state;
  const name = keyOfModel(model);
  const draws = useJob(
    "drawSamples",
    useMemo(() => ({ model, seed, temperature }), [model, seed, temperature]),
    `${name} ${seed} ${temperature}`,
  );
  const cut = useJob(
    "cutPatches",
    useMemo(() => picture && { model, picture, seed }, [model, picture, seed]),
    `${name} ${picture?.key ?? ""} ${seed}`,
  );
  return (
    <>
      <DrawControls state={state} change={change} />
      <div class="figures">
        {draws.problem !== null && <Notice kind="problem">{draws.problem}</Notice>}
        {draws.output ? (
          <Figure
            caption={`${sampleCount} draws from ${title}, seed ${seed}, temperature ${fixed(temperature, 2)}. The last two that you choose are A and B, the ends of the walk.`}
          >
            <PatchGrid
              {...{ bitmap: draws.output.bitmap, columns: draws.output.columns }}
              count={sampleCount}
              label={`Samples of ${title}`}
              nameOf={(place) => `Sample ${place + 1}`}
              chosen={[from, to]}
              letters={["A", "B"]}
              onChoose={(place) => {
                if (place !== to) change({ from: to, to: place });
              }}
            />
          </Figure>
        ) : (
          draws.problem === null && <div class="square waiting">Drawing …</div>
        )}
        {cut.problem !== null && <Notice kind="problem">{cut.problem}</Notice>}
        {cut.output ? (
          <Figure
            caption={`${sampleCount} patches at random places of the picture, with the same greys, to compare with.`}
          >
            <Picture bitmap={cut.output.bitmap} description="Patches of the picture" />
          </Figure>
        ) : (
          cut.problem === null && <div class="square waiting">Loading the picture …</div>
        )}
      </div>
      <div class="buttons">
        <Button
          onClick={() => {
            change({ view: "walk" });
          }}
        >
          Walk from A to B
        </Button>
      </div>
    </>
  );
}

interface DrawControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
}

/** The same draws for the samples and for the walk. */
export function DrawControls({ state, change }: DrawControlsProps): VNode {
  const { seed, temperature } = state;
  return (
    <div class="fields">
      <NumberField
        label="Seed"
        value={seed}
        least={0}
        most={2 ** 31}
        onChange={(value) => {
          change({ seed: value });
        }}
      />
      <Slider
        label="Temperature"
        value={temperature}
        least={0.3}
        most={1.5}
        step={0.05}
        text={fixed(temperature, 2)}
        onInput={(value) => {
          change({ temperature: Math.round(100 * value) / 100 });
        }}
      />
      <Button
        onClick={() => {
          change({ seed: seed < 2 ** 31 ? seed + 1 : 0 });
        }}
      >
        Next seed
      </Button>
    </div>
  );
}
