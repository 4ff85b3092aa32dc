/** Which pictures a fit is made of. */
import type { VNode } from "preact";
import { useBlobAddress } from "../../components/comparison.js";
import { Check, Choice } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { grouped } from "../../components/numbers.js";
import { labPhotographs } from "../../photographs.js";
import type { TrainPicture, TrainPictures } from "./train-pictures.js";
import type { TrainState } from "./train-settings.js";

interface PictureControlsProps {
  readonly state: TrainState;
  readonly change: (part: Partial<TrainState>) => void;
  readonly pictures: TrainPictures;
  readonly onFiles: (files: readonly File[]) => void;
}

export function PictureControls(props: PictureControlsProps): VNode {
  const { pictures, onFiles } = props;
  const own = pictures.own.value.length;
  return (
    <>
      <FileDrop
        label="Drop pictures here to fit to them, paste or choose them; or open a model or a checkpoint (.safetensors). They stay on this machine."
        accept="image/*,.iml,.safetensors,.json"
        isMultiple
        onFiles={onFiles}
      />
      {own > 0 && (
        <Choice
          label="Fitted to"
          value={pictures.usesOwn ? "own" : "lab"}
          choices={[
            { value: "own", label: own === 1 ? "your picture" : `your ${own} pictures` },
            { value: "lab", label: "photographs of the lab" },
          ]}
          onChange={(value) => {
            pictures.prefersOwn.value = value === "own";
          }}
        />
      )}
      {!pictures.usesOwn && <Photographs {...props} />}
    </>
  );
}

function Photographs({ state, change }: Pick<PictureControlsProps, "state" | "change">): VNode {
  const chosen = state.photos.split(" ");
  const choose = (names: readonly string[]): void => {
    const inOrder = labPhotographs.filter(({ name }) => names.includes(name));
    change({ photos: inOrder.map(({ name }) => name).join(" ") });
  };
  const all = labPhotographs.map(({ name }) => name);
  const count = labPhotographs.filter(({ name }) => chosen.includes(name)).length;
  return (
    <details class="train-photographs">
      <summary>Photographs of the lab: {count} of 8</summary>
      <Check
        label="all eight"
        checked={count === all.length}
        onChange={(checked) => {
          choose(checked ? all : []);
        }}
      />
      {labPhotographs.map(({ name, title }) => (
        <Check
          key={name}
          label={title}
          checked={chosen.includes(name)}
          onChange={(checked) => {
            choose(checked ? [...chosen, name] : chosen.filter((other) => other !== name));
          }}
        />
      ))}
    </details>
  );
}

interface PictureListProps {
  readonly pictures: readonly TrainPicture[];
  readonly patches: number;
  readonly side: number;
  readonly onRemove: (key: string) => void;
}

export function PictureList({ pictures, patches, side, onRemove }: PictureListProps): VNode {
  return (
    <section class="train-pictures" aria-label="Pictures">
      <p role="status">{summaryOf(pictures, patches, side)}</p>
      <ul>
        {pictures.map((picture) => (
          <li key={picture.key}>
            <Thumbnail picture={picture} />
            {picture.key.startsWith("own ") && (
              <button
                type="button"
                aria-label={`Remove ${picture.title}`}
                onClick={() => {
                  onRemove(picture.key);
                }}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Thumbnail({ picture: { title, look } }: { readonly picture: TrainPicture }): VNode {
  const address = useBlobAddress(look?.thumbnail ?? null);
  const size = look ? `, ${look.width}×${look.height} pixels` : "";
  return (
    <span class="thumbnail" title={`${title}${size}`}>
      {address === null ? <span>{title}</span> : <img src={address} alt={`${title}${size}`} />}
    </span>
  );
}

function summaryOf(pictures: readonly TrainPicture[], patches: number, side: number): string {
  if (pictures.length === 0) return "No pictures yet: drop some, or take photographs of the lab.";
  if (pictures.some(({ look }) => look === null)) return "Loading pictures …";
  const count = `${pictures.length} picture${pictures.length === 1 ? "" : "s"}`;
  return `${count}, with room for ${grouped(patches)} different patches of ${side}×${side} pixels.`;
}
