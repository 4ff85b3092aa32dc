/** Which picture, which noise, and what the methods are told of it. */
import type { VNode } from "preact";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import type { Figures, Looks } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { OwnPicture } from "./use-own-picture.js";

interface DenoiseControlsProps {
  readonly state: DenoiseState;
  readonly change: (part: Partial<DenoiseState>) => void;
  readonly picture: OwnPicture;
  /** Null while the picture is loaded, or made noisy. */
  readonly looks: Looks | null;
  readonly figures: Figures | null;
}

const ownFile = "own file";

export function DenoiseControls(props: DenoiseControlsProps): VNode {
  const { state, change, picture, looks, figures } = props;
  const own = picture.own?.file;
  const photograph = labPhotographs.find(({ name }) => name === state.photo);
  return (
    <>
      <Choice
        label="Picture"
        value={own ? ownFile : state.photo}
        choices={[
          ...(own ? [{ value: ownFile, label: own.name } as const] : []),
          ...labPhotographs.map(({ name, title }) => ({ value: name, label: title })),
        ]}
        onChange={(photo) => {
          if (photo !== ownFile) picture.leave(photo);
        }}
      />
      {!own && photograph && <p class="credit">{photograph.credit}</p>}
      <FileDrop
        label="Or drop a picture here, paste it, or choose one. It stays on this machine."
        accept="image/*"
        onFiles={([file]) => {
          picture.take(file);
        }}
      />
      <Choice
        label="Part"
        value={state.part}
        choices={[
          { value: "128", label: "128×128 from the middle" },
          { value: "256", label: "256×256 from the middle" },
          { value: "512", label: "512×512 from the middle" },
          { value: "whole", label: "the whole picture" },
        ]}
        onChange={(part) => {
          change({ part });
        }}
      />
      <p class="credit">{looks ? sizeText(looks) : " "}</p>
      <Choice
        label="Noise"
        value={state.noise}
        choices={[
          { value: "add", label: "the picture is clean: add some" },
          { value: "there", label: "the picture is noisy already" },
        ]}
        onChange={(noise) => {
          change({ noise });
        }}
      />
      {state.noise === "add" && <AddedNoise state={state} change={change} />}
      <Told state={state} change={change} figures={figures} />
    </>
  );
}

type PartProps = Pick<DenoiseControlsProps, "state" | "change">;

function AddedNoise({ state, change }: PartProps): VNode {
  return (
    <>
      <Slider
        label="Strength σ (of 255)"
        value={state.added}
        least={0}
        most={100}
        onInput={(added) => {
          change({ added });
        }}
      />
      <NumberField
        label="Seed of the noise"
        value={state.seed}
        least={0}
        most={2 ** 31 - 1}
        onChange={(seed) => {
          change({ seed });
        }}
      />
    </>
  );
}

/** "known" is the σ that was added; of a noisy picture nobody knows it, and it is estimated. */
function Told({
  state,
  change,
  figures,
}: PartProps & Pick<DenoiseControlsProps, "figures">): VNode {
  const { noise, sigma, given } = state;
  const estimate = figures ? ` (${figures.estimate.toFixed(1)})` : "";
  const known = { value: "known", label: "σ as it was added" } as const;
  return (
    <>
      <Choice
        label="The methods are told"
        value={noise === "there" && sigma === "known" ? "estimated" : sigma}
        choices={[
          ...(noise === "add" ? [known] : []),
          { value: "estimated", label: `σ estimated from the noisy picture${estimate}` },
          { value: "given", label: "another σ" },
        ]}
        onChange={(telling) => {
          change({ sigma: telling });
        }}
      />
      {sigma === "given" && (
        <NumberField
          label="σ (of 255)"
          value={given}
          least={0.1}
          most={255}
          step={0.1}
          onChange={(value) => {
            change({ given: value });
          }}
        />
      )}
    </>
  );
}

function sizeText({ width, height, whole, channels, isReduced }: Looks): string {
  const isPart = width !== whole.width || height !== whole.height;
  const part = isPart ? ` of ${whole.width}×${whole.height}` : "";
  const bits = isReduced ? ", reduced to 8 bits" : "";
  return `${width}×${height}${part} pixels, ${channels === 1 ? "grey" : "colour"}${bits}`;
}
