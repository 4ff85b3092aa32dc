/** Files of the user in place of a model or a photograph. */
import { useCallback } from "preact/hooks";
import { checkFile } from "../../check-file.js";
import { type NamedFile, isModelFile, isPicture, namedFile } from "../../named-file.js";
import { type Dropped, useDropped } from "../../use-dropped.js";

export interface OwnFiles {
  readonly model: (NamedFile & { readonly patchSide: number }) | null;
  readonly picture: NamedFile | null;
}

export interface OwnFilesOfPanel extends Pick<
  Dropped<OwnFiles>,
  "held" | "reading" | "problems" | "closeProblem"
> {
  /** `patchSide` is that of the model that a picture is for. */
  readonly take: (file: File, patchSide: number) => void;
  /** Back to what comes with the page. */
  readonly leave: (place: keyof OwnFiles) => void;
}

const noFiles: OwnFiles = { model: null, picture: null };

export function useOwnFiles(): OwnFilesOfPanel {
  const dropped = useDropped(noFiles);
  const { take: read, discard, change } = dropped;
  const take = useCallback((file: File, patchSide: number) => {
    const own = namedFile(file);
    if (isModelFile(file)) read([{ file, place: "model", read: () => readModel(own) }]);
    else if (isPicture(file)) {
      read([{ file, place: "picture", read: () => readPicture(own, patchSide) }]);
    } else read([], [neither(file)]);
  }, []);
  const leave = useCallback((place: keyof OwnFiles) => {
    discard(place);
    change((before) => ({ ...before, [place]: null }));
  }, []);
  return { ...dropped, take, leave };
}

async function readModel(own: NamedFile) {
  const { patchSide } = await checkFile(["patch model"], own);
  return (before: OwnFiles) => ({ ...before, model: { ...own, patchSide } });
}

async function readPicture(own: NamedFile, patchSide: number) {
  await checkFile(["grey picture"], { ...own, patchSide });
  return (before: OwnFiles) => ({ ...before, picture: own });
}

function neither({ name }: File): string {
  const wanted = "a picture (PNG, JPEG, WebP …) or a model of patches (.safetensors)";
  return `${name} is neither a picture nor a model; expected ${wanted}.`;
}
