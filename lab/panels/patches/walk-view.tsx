import type { VNode } from "preact";
import { fixed, percent } from "../../../src/numbers/format-number.js";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ControlsProps, ViewProps } from "./model-source.js";
import type { Walk } from "./samples-job.js";
import { PlaneView } from "./plane-view.js";
import { DrawControls } from "./samples-view.js";
import { sampleCount } from "./settings.js";

/** Patches of the strip, including both ends. */
const steps = 9;
const stripParts = Array.from({ length: steps }, (_, k) => k / (steps - 1));

export function WalkView(props: ViewProps): VNode {
  const { state, change, field, model, title } = props;
  const { seed, temperature, from, to, path, at } = state;
  const terms = { model, seed, temperature, from, to, path };
  const strip = useJob("walkBetween", { ...terms, parts: stripParts });
  // After the strip, so cancelling the strip cancels both.
  const here = useJob("walkBetween", strip.isOld ? null : { ...terms, parts: [at / 100] });
  return (
    <>
      <DrawControls {...props} />
      <EndControls {...props} />
      <JobOutput
        job={strip}
        label={`Walking between samples of ${title}`}
        waiting={<div class="strip waiting" />}
      >
        {(walk) => (
          <PatchGrid
            caption={captionOf(walk)}
            bitmap={walk.bitmap}
            columns={steps}
            items={stripParts}
            isEager={true}
            label="Path from A to B"
            nameOf={(part) => `${Math.round(100 * part)} %`}
            chosen={[stripParts[Math.round((at / 100) * (steps - 1))]]}
            onChoose={(part) => {
              change({ at: 100 * part });
            }}
          />
        )}
      </JobOutput>
      <Slider label="From A to B" {...field("at")} step={0.5} text={percent(at / 100)} />
      {strip.problem === null && (
        <JobOutput
          job={here}
          label={`Walking to ${percent(at / 100)}`}
          waiting={<div class="walk-place waiting" />}
        >
          {(walk) => (
            <div class="walk-place">
              <Picture
                bitmap={walk.bitmap}
                description={`The patch at ${percent(walk.parts[0])}`}
                isPixelated
              />
              <p>{wordsOf(walk)}</p>
            </div>
          )}
        </JobOutput>
      )}
      {strip.problem === null && <PlaneView {...props} />}
    </>
  );
}

function captionOf({ title, from, to }: Walk): string {
  return `From A (sample ${from + 1}) to B (sample ${to + 1}) of ${title}, in steps of one eighth. Choose a patch to go to it.`;
}

function EndControls({ state, change, field }: ControlsProps): VNode {
  return (
    <div class="fields">
      {(["from", "to"] as const).map((end) => (
        <NumberField
          key={end}
          label={end === "from" ? "A: sample" : "B: sample"}
          value={state[end] + 1}
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
          { value: "arc", label: "arc: every point is a sample" },
          { value: "line", label: "straight line" },
        ]}
      />
    </div>
  );
}

function wordsOf({ temperature, dimension, lengths, natsPerDimension }: Walk): string {
  const [mean, deviation] = [Math.sqrt(dimension), Math.SQRT1_2].map((x) => temperature * x);
  const [nats] = natsPerDimension;
  const density = nats === null ? "" : ` Log-density: ${fixed(nats, 2)} nats per pixel.`;
  return `‖y‖ = ${fixed(lengths[0], 2)}. Normal vectors with ${dimension} components have ${fixed(mean, 1)} ± ${fixed(deviation, 1)} at this temperature.${density}`;
}
