/** Controls of the panel: choose the model and the picture, or drop files in their place. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { checkFile } from "../../check-file.js";
import { FileChoice } from "../../components/controls.js";
import { FileDrop } from "../../components/file-drop.js";
import { type NamedFile, isModelFile, isPicture, namedFile } from "../../named-file.js";
import { labPhotographs } from "../../photographs.js";
import { useDropped } from "../../use-dropped.js";
import type { ViewProps } from "./model-source.js";
import {
  type ChangePatches,
  type PackageModel,
  type PatchesState,
  piecesOfImages,
} from "./settings.js";

interface OwnFiles {
  readonly model: (NamedFile & OwnModel) | null;
  readonly picture: NamedFile | null;
}

/** Sizes of a dropped model. */
interface OwnModel extends Pick<ViewProps, "ofImages"> {
  /** Side of a patch or of a filter in pixels. A picture must hold one. */
  readonly patchSide: number;
}

const noFiles: OwnFiles = { model: null, picture: null };

/** `take` reads a file; `leave` returns to the models or photographs of the page. */
export function useOwnFiles() {
  const dropped = useDropped(noFiles);
  const { take: read, discard, change } = dropped;
  const take = useCallback((file: File, chosen: OwnModel) => {
    const own = namedFile(file);
    if (isModelFile(file)) read([{ file, place: "model", read: () => readModel(own) }]);
    else if (isPicture(file)) {
      read([{ file, place: "picture", read: () => readPicture(own, chosen) }]);
    } else {
      const wanted = "a picture (PNG, JPEG, WebP …) or a model (.safetensors)";
      read([], [`${file.name} is neither a picture nor a model. Expected ${wanted}.`]);
    }
  }, []);
  const leave = useCallback((place: keyof OwnFiles) => {
    discard(place);
    change((before) => ({ ...before, [place]: null }));
  }, []);
  return { ...dropped, take, leave };
}

async function readModel(own: NamedFile) {
  const facts = await checkFile(["patch model", "image model"], { ...own, needsPatches: true });
  const sizes =
    facts.kind === "image model"
      ? { patchSide: facts.filterSide, ofImages: facts }
      : { patchSide: facts.patchSide, ofImages: null };
  return (before: OwnFiles) => ({ ...before, model: { ...own, ...sizes } });
}

async function readPicture(own: NamedFile, { patchSide, ofImages }: OwnModel) {
  const room = { patchSide, ...(ofImages && { pieces: piecesOfImages }) };
  await checkFile(["grey picture"], { ...own, ...room });
  return (before: OwnFiles) => ({ ...before, picture: own });
}

interface PatchesControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
  readonly files: ReturnType<typeof useOwnFiles>;
  /** Sizes of the chosen model. */
  readonly sizes: OwnModel;
}

const models: readonly { readonly value: PackageModel; readonly label: string }[] = [
  { value: "gdn", label: "GDN: learned pools" },
  { value: "ica-mg", label: "ICA-MG: itself alone" },
  { value: "rg", label: "RG: one pool for all" },
];

export function PatchesControls(props: PatchesControlsProps): VNode {
  const { state, change, files, sizes } = props;
  const own = files.held;
  const photograph = labPhotographs.find(({ name }) => name === state.photo);
  const { take } = files;
  const takeFirst = useCallback(
    ([file]: readonly File[]) => {
      take(file, sizes);
    },
    [take, sizes],
  );
  return (
    <>
      <FileChoice
        label="Model"
        file={own.model?.file.name}
        value={state.model}
        choices={models}
        onChange={(model) => {
          files.leave("model");
          change({ model });
        }}
      />
      <FileChoice
        label="Picture"
        file={own.picture?.file.name}
        value={state.photo}
        choices={labPhotographs.map(({ name, title }) => ({ value: name, label: title }))}
        onChange={(photo) => {
          files.leave("picture");
          change({ photo });
        }}
      />
      <p class="credit">{own.picture ? " " : photograph?.credit}</p>
      <FileDrop
        label="Drop a picture or a model (.safetensors) anywhere on the page, paste a picture, or choose a file. Files stay on this machine."
        accept="image/*,.iml,.safetensors"
        onFiles={takeFirst}
      />
      <p class="reading" role="status">
        {files.reading !== null && `Opening ${files.reading} …`}
      </p>
    </>
  );
}
