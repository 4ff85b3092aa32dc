import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-job.js";
import { JobOutput } from "./job-output.js";
import { keyOfModel } from "./model-source.js";
import { DrawControls } from "./samples-view.js";
import { type ChangePatches, type PatchesState, sampleCount } from "./settings.js";
import type { ViewProps } from "./view-props.js";
import type { Walk } from "./walk-job.js";
import { fixed } from "../../components/numbers.js";

/** Of the strip; ends included. */
const steps = 9;
const stripParts = Array.from({ length: steps }, (_, k) => k / (steps - 1));

export function WalkView({ state, change, model, title }: ViewProps): VNode {
  const { seed, temperature, from, to, path, at } = state;
  const name = keyOfModel(model);
  const terms = useMemo(
    () => ({ model, seed, temperature, from, to, path }),
    [model, seed, temperature, from, to, path],
  );
  const key = JSON.stringify([name, seed, temperature, from, to, path]);
  const strip = useJob(
    "walkBetween",
    useMemo(() => ({ ...terms, parts: stripParts }), [terms]),
    key,
  );
  // After the strip: what is cancelled there is not begun here.
  const here = useJob(
    "walkBetween",
    useMemo(() => (strip.isOld ? null : { ...terms, parts: [at / 100] }), [terms, at, strip.isOld]),
    `${key} ${at}`,
  );
  return (
    <>
      <DrawControls state={state} change={change} />
      <EndControls state={state} change={change} />
      <JobOutput job={strip} label={`Walking between samples of ${title}`}>
        {strip.output ? (
          <Figure caption={captionOf(strip.output)}>
            <PatchGrid
              {...{ bitmap: strip.output.bitmap, columns: steps, count: steps, isEager: true }}
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
      <Slider
        label="From A to B"
        value={at}
        least={0}
        most={100}
        step={0.5}
        text={percentText(at / 100)}
        onInput={(value) => {
          change({ at: value });
        }}
      />
      {strip.problem === null && (
        <JobOutput job={here} label={`Walking to ${percentText(at / 100)}`}>
          {here.output ? (
            <div class="walk-place">
              <Picture
                bitmap={here.output.bitmap}
                description={`The patch at ${percentText(here.output.parts[0])}`}
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

function percentText(part: number): string {
  return `${fixed(100 * part, 1)} %`;
}

interface EndControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
}

function EndControls({ state: { from, to, path }, change }: EndControlsProps): VNode {
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
        value={path}
        choices={[
          { value: "arc", label: "the arc, on which all are draws" },
          { value: "line", label: "the straight line" },
        ]}
        onChange={(value) => {
          change({ path: value });
        }}
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
