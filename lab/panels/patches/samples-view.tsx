import type { VNode } from "preact";
import { Button, NumberField, Slider } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ControlsProps, ViewProps } from "./model-source.js";
import { sampleCount } from "./settings.js";
import type { ModelDraws } from "./samples-job.js";
import { fixed, percent, thousands } from "../../../src/numbers/format-number.js";

export function SamplesView({ state, change, field, model, title, picture }: ViewProps): VNode {
  const { seed, temperature, from, to } = state;
  const draws = useJob("drawSamples", { model, seed, temperature });
  const cut = useJob("cutPatches", picture && { model, picture, seed });
  return (
    <>
      <DrawControls state={state} change={change} field={field} />
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
        <JobOutput job={draws} label={`Drawing from ${title}`}>
          {draws.output ? (
            <Figure caption={captionOf(draws.output)}>
              <PatchGrid
                bitmap={draws.output.bitmap}
                columns={draws.output.columns}
                count={sampleCount}
                label={`Samples of ${draws.output.title}`}
                nameOf={(place) => `Sample ${place + 1}`}
                chosen={[from, to]}
                letters={["A", "B"]}
                onChoose={(place) => {
                  if (place !== to) change({ from: to, to: place });
                }}
              />
            </Figure>
          ) : (
            draws.problem === null && <div class="square waiting" />
          )}
        </JobOutput>
        <JobOutput job={cut} label="Cutting patches from the picture">
          {cut.output ? (
            <Figure
              caption={`${sampleCount} patches at random places of the picture, with the same greys, to compare with.`}
            >
              <Picture bitmap={cut.output.bitmap} description="Patches of the picture" />
            </Figure>
          ) : (
            cut.problem === null && (
              <div class="square waiting">{!picture && "Loading the picture …"}</div>
            )
          )}
        </JobOutput>
      </div>
    </>
  );
}

function captionOf(draws: ModelDraws): string {
  const { title, seed, temperature } = draws;
  return `${sampleCount} draws from ${title}, seed ${seed}, temperature ${fixed(temperature, 2)}. ${clippedText(draws)}The last two that you choose are A and B, the ends of the walk.`;
}

/** Screens have no blacker than black. */
function clippedText({ clipped }: ModelDraws): string {
  if (!clipped) return "";
  const [count, of] = [clipped.count, clipped.of].map(thousands);
  return `${count} of ${of} values (${percent(clipped.count / clipped.of)}) are beyond black or white, and clipped to them. `;
}

/** The same draws for the samples and for the walk. */
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
