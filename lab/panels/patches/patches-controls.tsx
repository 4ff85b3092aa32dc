/** Which model and which picture. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { isPicture } from "../../is-picture.js";
import { type NamedFile, namedFile } from "../../named-file.js";
import { labPhotographs } from "../../photographs.js";
import type { ChangePatches, PackageModel, PatchesState } from "./settings.js";

export interface Dropped {
  readonly model: NamedFile | null;
  readonly picture: NamedFile | null;
}

interface PatchesControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
  readonly dropped: Dropped;
  readonly onDrop: (part: Partial<Dropped>) => void;
  /** Told of a file that is nothing for this panel; null when another one came. */
  readonly onProblem: (sentence: string | null) => void;
}

const ownFile = "own file";

/** By its name and type; what is in it is found out by whoever reads it. */
function kindOf(file: File): keyof Dropped | null {
  if (/\.safetensors$/i.test(file.name)) return "model";
  return isPicture(file) ? "picture" : null;
}

function neither({ name }: File): string {
  const wanted = "a picture (PNG, JPEG, WebP …) or a model of patches (.safetensors)";
  return `${name} is neither a picture nor a model; expected ${wanted}.`;
}

const models: readonly { readonly value: PackageModel; readonly label: string }[] = [
  { value: "gdn", label: "GDN: all divide each other" },
  { value: "ica-mg", label: "ICA-MG: each by itself" },
  { value: "rg", label: "RG: all by one norm" },
];

export function PatchesControls(props: PatchesControlsProps): VNode {
  const { state, change, dropped, onDrop, onProblem } = props;
  const photograph = labPhotographs.find(({ name }) => name === state.photo);
  const take = useCallback(
    ([file]: readonly File[]) => {
      const kind = kindOf(file);
      onProblem(kind === null ? neither(file) : null);
      if (kind !== null) onDrop({ [kind]: namedFile(file) });
    },
    [onDrop, onProblem],
  );
  return (
    <>
      <Choice
        label="Model of patches"
        value={dropped.model ? ownFile : state.model}
        choices={[
          ...(dropped.model ? [{ value: ownFile, label: dropped.model.file.name } as const] : []),
          ...models,
        ]}
        onChange={(model) => {
          if (model === ownFile) return;
          onDrop({ model: null });
          change({ model });
        }}
      />
      <Choice
        label="Picture"
        value={dropped.picture ? ownFile : state.photo}
        choices={[
          ...(dropped.picture
            ? [{ value: ownFile, label: dropped.picture.file.name } as const]
            : []),
          ...labPhotographs.map(({ name, title }) => ({ value: name, label: title })),
        ]}
        onChange={(photo) => {
          if (photo === ownFile) return;
          onDrop({ picture: null });
          change({ photo });
        }}
      />
      <p class="credit">{dropped.picture ? " " : photograph?.credit}</p>
      <FileDrop
        label="Drop a picture or a model of patches (.safetensors) here, paste a picture, or choose one. It stays on this machine."
        accept="image/*,.iml,.safetensors"
        onFiles={take}
      />
    </>
  );
}
