/** The pictures to fit, and the controls that choose them. */
import type { VNode } from "preact";
import { useBlobAddress } from "../../components/comparison.js";
import { Check, Choice } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { thousands } from "../../../src/numbers/format-number.js";
import { labPhotographs } from "../../photographs.js";
import type { Reading, TrainPicture, TrainPictures } from "./train-pictures.js";
import type { TrainState } from "./train-settings.js";

interface PictureControlsProps {
  readonly state: TrainState;
  readonly change: (part: Partial<TrainState>) => void;
  readonly pictures: TrainPictures;
  /** Name of the model or checkpoint being read. */
  readonly opening: string | null;
  readonly onFiles: (files: readonly File[]) => void;
}

export function PictureControls(props: PictureControlsProps): VNode {
  const { pictures, opening, onFiles } = props;
  const own = pictures.own.value.length;
  return (
    <>
      <FileDrop
        label="Drop pictures here, paste or choose them. You can also open a model or a checkpoint (.safetensors). Files stay on this machine."
        accept="image/*,.iml,.safetensors,.json"
        isMultiple
        onFiles={onFiles}
      />
      <ReadingFiles reading={pictures.reading.value} opening={opening} />
      {own > 0 && (
        <Choice
          label="Train on"
          value={pictures.usesOwn ? "own" : "lab"}
          choices={[
            { value: "own", label: own === 1 ? "your picture" : `your ${own} pictures` },
            { value: "lab", label: "the lab’s photographs" },
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

interface ReadingFilesProps {
  readonly reading: Reading | null;
  readonly opening: string | null;
}

/** "Reading 3 of 40 pictures …". Screen readers skip the first number, which changes often. */
function ReadingFiles({ reading, opening }: ReadingFilesProps): VNode {
  return (
    <p class="reading" role="status">
      {(reading !== null || opening !== null) && "Reading "}
      {reading && (
        <>
          <span aria-hidden="true">{reading.done + 1} of </span>
          {countText(reading.of)}
          {opening === null ? " …" : " and "}
        </>
      )}
      {opening !== null && `${opening} …`}
    </p>
  );
}

function countText(count: number): string {
  return count === 1 ? "1 picture" : `${count} pictures`;
}

function Photographs({ state, change }: Pick<PictureControlsProps, "state" | "change">): VNode {
  const chosen = state.photos.split(" ");
  const all: readonly string[] = labPhotographs.map(({ name }) => name);
  const choose = (names: readonly string[]): void => {
    change({ photos: all.filter((name) => names.includes(name)).join(" ") });
  };
  const count = all.filter((name) => chosen.includes(name)).length;
  return (
    <details class="train-photographs">
      <summary>The lab’s photographs: {count} of 8</summary>
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
  /** More pictures are being read. */
  readonly isReading: boolean;
  readonly onRemove: (key: string) => void;
}

export function PictureList(props: PictureListProps): VNode {
  const { pictures, onRemove } = props;
  return (
    <section class="train-pictures" aria-label="Pictures">
      <p role="status">{summaryOf(props)}</p>
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

function summaryOf({ pictures, patches, side, isReading }: PictureListProps): string {
  if (isReading || pictures.some(({ look }) => look === null)) return "Loading pictures …";
  if (pictures.length === 0) return "No pictures yet. Drop some, or choose photographs of the lab.";
  const room = `${thousands(patches)} different patches of ${side}×${side} pixels`;
  return `${countText(pictures.length)}, with room for ${room}.`;
}
