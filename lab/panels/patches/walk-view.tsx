import type { VNode } from "preact";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ControlsProps, ViewProps } from "./model-source.js";
import { DrawControls } from "./samples-view.js";
import { sampleCount } from "./settings.js";
import type { Walk } from "./walk-job.js";
import { fixed, percent } from "../../../src/numbers/format-number.js";

/** Steps of the strip, ends included. */
const steps = 9;
const stripParts = Array.from({ length: steps }, (_, k) => k / (steps - 1));

export function WalkView({ state, change, field, model, title }: ViewProps): VNode {
  const { seed, temperature, from, to, path, at } = state;
  const terms = { model, seed, temperature, from, to, path };
  const strip = useJob("walkBetween", { ...terms, parts: stripParts });
  // After the strip: what is cancelled there is not begun here.
  const here = useJob("walkBetween", strip.isOld ? null : { ...terms, parts: [at / 100] });
  return (
    <>
      <DrawControls state={state} change={change} field={field} />
      <EndControls state={state} change={change} field={field} />
      <JobOutput job={strip} label={`Walking between samples of ${title}`}>
        {strip.output ? (
          <Figure caption={captionOf(strip.output)}>
            <PatchGrid
              bitmap={strip.output.bitmap}
              columns={steps}
              count={steps}
              isEager={true}
              label="The way from A to B"
              nameOf={(place) => `${Math.round((100 * place) / (steps - 1))} %`}
              chosen={[Math.round((at / 100) * (steps - 1))]}
              onChoose={(place) => {
                change({ at: (100 * place) / (steps - 1) });
              }}
            />
          </Figure>
        ) : (
          strip.problem === null && <div class="strip waiting" />
        )}
      </JobOutput>
      <Slider label="From A to B" {...field("at")} step={0.5} text={percent(at / 100)} />
      {strip.problem === null && (
        <JobOutput job={here} label={`Walking to ${percent(at / 100)}`}>
          {here.output ? (
            <div class="walk-place">
              <Picture
                bitmap={here.output.bitmap}
                description={`The patch at ${percent(here.output.parts[0])}`}
                isPixelated
              />
              <p>{wordsOf(here.output)}</p>
            </div>
          ) : (
            here.problem === null && <div class="walk-place waiting" />
          )}
        </JobOutput>
      )}
    </>
  );
}

function captionOf({ title, from, to }: Walk): string {
  return `From A (sample ${from + 1}) to B (sample ${to + 1}) of ${title}, in steps of an eighth. Choose one to go there.`;
}

function EndControls({ state: { from, to }, change, field }: ControlsProps): VNode {
  return (
    <div class="fields">
      {(["from", "to"] as const).map((end) => (
        <NumberField
          key={end}
          label={end === "from" ? "A: sample" : "B: sample"}
          value={(end === "from" ? from : to) + 1}
          least={1}
          most={sampleCount}
          onChange={(value) => {
            change({ [end]: value - 1 });
          }}
        />
      ))}
      <Choice
        label="Path"
        {...field("path")}
        choices={[
          { value: "arc", label: "the arc, on which all are draws" },
          { value: "line", label: "the straight line" },
        ]}
      />
    </div>
  );
}

function wordsOf(walk: Walk): string {
  const { temperature: t, dimension } = walk;
  const {
    lengths: [length],
    natsPerDimension: [nats],
  } = walk;
  const usual = `${fixed(t * Math.sqrt(dimension), 1)} ± ${fixed(t * Math.SQRT1_2, 1)}`;
  const density = nats === null ? "" : ` Log-density: ${fixed(nats, 2)} nats per pixel.`;
  return `‖y‖ = ${fixed(length, 2)}; a normal vector of ${dimension} components at this temperature has ${usual}.${density}`;
}
