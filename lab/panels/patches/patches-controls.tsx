/** Which model and which picture. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import type { ModelSource } from "./model-source.js";
import type { ChangePatches, PackageModel, PatchesState } from "./settings.js";
import type { DroppedFiles } from "./use-dropped.js";

interface PatchesControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
  readonly dropped: DroppedFiles;
  /** The one that is chosen. */
  readonly model: ModelSource;
}

const ownFile = "own file";

const models: readonly { readonly value: PackageModel; readonly label: string }[] = [
  { value: "gdn", label: "GDN: all divide each other" },
  { value: "ica-mg", label: "ICA-MG: each by itself" },
  { value: "rg", label: "RG: all by one norm" },
];

export function PatchesControls(props: PatchesControlsProps): VNode {
  const { state, change, dropped, model: chosen } = props;
  const photograph = labPhotographs.find(({ name }) => name === state.photo);
  const { take } = dropped;
  const takeFirst = useCallback(
    ([file]: readonly File[]) => {
      take(file, chosen);
    },
    [take, chosen],
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
          dropped.leave("model");
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
          dropped.leave("picture");
          change({ photo });
        }}
      />
      <p class="credit">{dropped.picture ? " " : photograph?.credit}</p>
      <FileDrop
        label="Drop a picture or a model of patches (.safetensors) here, paste a picture, or choose one. It stays on this machine."
        accept="image/*,.iml,.safetensors"
        onFiles={takeFirst}
      />
      <p class="reading" role="status">
        {dropped.opening !== null && `Opening ${dropped.opening} …`}
      </p>
    </>
  );
}
