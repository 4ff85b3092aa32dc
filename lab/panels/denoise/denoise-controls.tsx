/** Controls for the picture, its noise, and the σ used for denoising. */
import type { VNode } from "preact";
import { fixed } from "../../../src/numbers/format-number.js";
import { Choice, NumberField, Slider } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import type { Fields } from "../../use-settings.js";
import type { Figures, Looks } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { OwnPicture } from "./use-subject.js";

interface DenoiseControlsProps {
  readonly state: DenoiseState;
  readonly field: Fields<DenoiseState>;
  readonly picture: OwnPicture;
  /** Null while the picture is loaded or prepared. */
  readonly looks: Looks | null;
  readonly figures: Figures | null;
}

const ownFile = "own file";

export function DenoiseControls(props: DenoiseControlsProps): VNode {
  const { state, field, picture, looks, figures } = props;
  const own = picture.held.own?.file;
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
        {...field("part")}
        choices={[
          { value: "128", label: "128×128 from the middle" },
          { value: "256", label: "256×256 from the middle" },
          { value: "512", label: "512×512 from the middle" },
          { value: "whole", label: "the whole picture" },
        ]}
      />
      <p class="credit">{looks ? sizeText(looks) : " "}</p>
      <Choice
        label="Noise"
        {...field("noise")}
        choices={[
          { value: "add", label: "add noise to a clean picture" },
          { value: "there", label: "the picture is already noisy" },
        ]}
      />
      {state.noise === "add" && (
        <>
          <Slider label="Noise level σ (of 255)" {...field("added")} />
          <NumberField label="Seed of the noise" {...field("seed")} />
        </>
      )}
      <SigmaChoice state={state} field={field} figures={figures} />
      {state.method === "gdn" && (
        <Choice
          label="Rounds of GDN"
          {...field("rounds")}
          choices={[
            { value: "3", label: "three, each with the previous estimate" },
            { value: "1", label: "one (eq. 7): faster" },
          ]}
        />
      )}
    </>
  );
}

type SigmaChoiceProps = Pick<DenoiseControlsProps, "state" | "field" | "figures">;

/** The known σ is the one that was added. A noisy picture has none, so σ is estimated. */
function SigmaChoice({ state, field, figures }: SigmaChoiceProps): VNode {
  const { noise, sigma } = state;
  const estimate = figures ? ` (${fixed(figures.estimate, 1)})` : "";
  const known = { value: "known", label: "the σ that was added" } as const;
  return (
    <>
      <Choice
        label="σ used for denoising"
        {...field("sigma")}
        value={noise === "there" && sigma === "known" ? "estimated" : sigma}
        choices={[
          ...(noise === "add" ? [known] : []),
          { value: "estimated", label: `estimated from the picture${estimate}` },
          { value: "given", label: "another value" },
        ]}
      />
      {sigma === "given" && <NumberField label="σ (of 255)" {...field("given")} step={0.1} />}
    </>
  );
}

function sizeText({ width, height, whole, channels, isReduced }: Looks): string {
  const isPart = width !== whole.width || height !== whole.height;
  const part = isPart ? ` of ${whole.width}×${whole.height}` : "";
  const bits = isReduced ? ", reduced to 8 bits" : "";
  return `${width}×${height}${part} pixels, ${channels === 1 ? "grey" : "colour"}${bits}`;
}
