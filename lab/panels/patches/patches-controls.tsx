/** Chooses the model and the picture. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { labPhotographs } from "../../photographs.js";
import type { ChangePatches, PackageModel, PatchesState } from "./settings.js";
import type { OwnFilesOfPanel } from "./use-own-files.js";

interface PatchesControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
  readonly files: OwnFilesOfPanel;
  /** Side of the patches of the model that is chosen. */
  readonly patchSide: number;
}

const ownFile = "own file";

const models: readonly { readonly value: PackageModel; readonly label: string }[] = [
  { value: "gdn", label: "GDN: all divide each other" },
  { value: "ica-mg", label: "ICA-MG: each by itself" },
  { value: "rg", label: "RG: all by one norm" },
];

export function PatchesControls(props: PatchesControlsProps): VNode {
  const { state, change, files, patchSide } = props;
  const own = files.held;
  const photograph = labPhotographs.find(({ name }) => name === state.photo);
  const { take } = files;
  const takeFirst = useCallback(
    ([file]: readonly File[]) => {
      take(file, patchSide);
    },
    [take, patchSide],
  );
  return (
    <>
      <Choice
        label="Model of patches"
        value={own.model ? ownFile : state.model}
        choices={[
          ...(own.model ? [{ value: ownFile, label: own.model.file.name } as const] : []),
          ...models,
        ]}
        onChange={(model) => {
          if (model === ownFile) return;
          files.leave("model");
          change({ model });
        }}
      />
      <Choice
        label="Picture"
        value={own.picture ? ownFile : state.photo}
        choices={[
          ...(own.picture ? [{ value: ownFile, label: own.picture.file.name } as const] : []),
          ...labPhotographs.map(({ name, title }) => ({ value: name, label: title })),
        ]}
        onChange={(photo) => {
          if (photo === ownFile) return;
          files.leave("picture");
          change({ photo });
        }}
      />
      <p class="credit">{own.picture ? " " : photograph?.credit}</p>
      <FileDrop
        label="Drop a picture or a model of patches (.safetensors) here, paste a picture, or choose one. It stays on this machine."
        accept="image/*,.iml,.safetensors"
        onFiles={takeFirst}
      />
      <p class="reading" role="status">
        {files.reading !== null && `Opening ${files.reading} …`}
      </p>
    </>
  );
}
