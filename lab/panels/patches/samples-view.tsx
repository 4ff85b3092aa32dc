import type { VNode } from "preact";
import { fixed, percent, thousands } from "../../../src/numbers/format-number.js";
import { Button, NumberField, Slider } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ControlsProps, ViewProps } from "./model-source.js";
import type { Clipped, ModelDraws } from "./samples-job.js";
import { sampleColumns, sampleCount } from "./settings.js";

const samples = Array.from({ length: sampleCount }, (_, k) => k);

export function SamplesView(props: ViewProps): VNode {
  const { state, change, model, title, picture } = props;
  const { seed, temperature, from, to } = state;
  const draws = useJob("drawSamples", { model, seed, temperature });
  const cut = useJob("cutPatches", picture && { model, picture, seed });
  return (
    <>
      <DrawControls {...props} />
      <div class="buttons">
        <Button
          onClick={() => {
            change({ view: "walk" });
          }}
        >
          Walk from A to B
        </Button>
      </div>
      <div class="figures">
        <JobOutput
          job={draws}
          label={`Sampling from ${title}`}
          waiting={<div class="square waiting" />}
        >
          {(drawn) => (
            <PatchGrid
              caption={captionOf(drawn)}
              bitmap={drawn.bitmap}
              columns={sampleColumns}
              items={samples}
              label={`Samples of ${drawn.title}`}
              nameOf={(place) => `Sample ${place + 1}`}
              chosen={[from, to]}
              letters={["A", "B"]}
              onChoose={(place) => {
                if (place !== to) change({ from: to, to: place });
              }}
            />
          )}
        </JobOutput>
        <JobOutput
          job={cut}
          label="Cutting patches from the picture"
          waiting={<div class="square waiting">{!picture && "Loading the picture …"}</div>}
        >
          {(bitmap) => (
            <Figure
              caption={`For comparison: ${sampleCount} patches at random places of the picture${scaleOf(temperature)}.`}
            >
              <Picture bitmap={bitmap} description="Patches of the picture" />
            </Figure>
          )}
        </JobOutput>
      </div>
    </>
  );
}

function captionOf(draws: ModelDraws): string {
  const { title, seed, temperature, clipped } = draws;
  const drawn = `${sampleCount} samples of ${title}, seed ${seed}, temperature ${fixed(temperature, 2)}.`;
  const ends = "The last two samples that you choose become A and B, the ends of the walk.";
  return clipped ? `${drawn} ${clippedText(clipped, temperature)} ${ends}` : `${drawn} ${ends}`;
}

const hotText =
  "Above temperature 1, most values would be pure black or white. So each sample has its own greys, and they show values before the inverse of the preprocessing curve, if the model has one.";

/** Samples above temperature 1 have a scale of their own. */
export function scaleOf(temperature: number): string {
  return temperature > 1 ? "" : ", on the same grey scale";
}

export function clippedText({ count, of }: Clipped, temperature: number): string {
  if (temperature > 1) return hotText;
  if (count === 0) return "No values are beyond black or white.";
  const [some, all] = [count, of].map(thousands);
  return `${some} of ${all} values (${percent(count / of)}) are beyond black or white and are clipped.`;
}

/** Controls of the samples, also for the walk. */
export function DrawControls({ state, change, field }: ControlsProps): VNode {
  const { seed, temperature } = state;
  return (
    <div class="fields">
      <NumberField label="Seed" {...field("seed")} />
      <Slider
        label="Temperature"
        {...field("temperature")}
        step={0.05}
        text={fixed(temperature, 2)}
        onChange={(value) => {
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
