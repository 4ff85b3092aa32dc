/** Files of the user in place of a model or a photograph. One that cannot be read changes nothing. */
import { useCallback, useRef, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { isModelFile } from "../../is-model-file.js";
import { isPicture } from "../../is-picture.js";
import { type NamedFile, namedFile } from "../../named-file.js";
import { sentenceOf } from "../../sentence-of.js";
import type { ModelSource } from "./model-source.js";

export interface Dropped {
  readonly model: (NamedFile & { readonly patchSide: number }) | null;
  readonly picture: NamedFile | null;
}

type Kind = keyof Dropped;

export interface DroppedFiles extends Dropped {
  /** The name of a file that is being looked at. */
  readonly opening: string | null;
  readonly problem: string | null;
  readonly closeProblem: () => void;
  /** `model` is the one that a picture is for. */
  readonly take: (file: File, model: ModelSource) => void;
  /** Back to what comes with the page. */
  readonly leave: (kind: Kind) => void;
}

export function useDropped(): DroppedFiles {
  const [dropped, setDropped] = useState<Dropped>({ model: null, picture: null });
  const [opening, setOpening] = useState<NamedFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** What was asked for last: files that take longer must not come back after it. */
  const last = useRef<Record<Kind, NamedFile | null>>({ model: null, picture: null });
  const take = useCallback((file: File, model: ModelSource) => {
    const kind = kindOf(file);
    setProblem(kind === null ? neither(file) : null);
    if (kind === null) return;
    const named = namedFile(file);
    last.current[kind] = named;
    setOpening(named);
    const isLast = (): boolean => last.current[kind] === named;
    openedAs(kind, named, model)
      .then(
        (part) => {
          if (isLast()) setDropped((before) => ({ ...before, ...part }));
        },
        (error: unknown) => {
          if (isLast()) setProblem(sentenceOf(error));
        },
      )
      .finally(() => {
        setOpening((now) => (now === named ? null : now));
      });
  }, []);
  const leave = useCallback((kind: Kind) => {
    last.current[kind] = null;
    setDropped((before) => ({ ...before, [kind]: null }));
  }, []);
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  return { ...dropped, opening: opening?.file.name ?? null, problem, closeProblem, take, leave };
}

async function openedAs(
  kind: Kind,
  named: NamedFile,
  model: ModelSource,
): Promise<Partial<Dropped>> {
  if (kind === "model") {
    const { patchSide } = await compute("checkModel", { kind: "file", ...named });
    return { model: { ...named, patchSide } };
  }
  await compute("checkPatchesPicture", { model, picture: named });
  return { picture: named };
}

function kindOf(file: File): Kind | null {
  if (isModelFile(file)) return "model";
  return isPicture(file) ? "picture" : null;
}

function neither({ name }: File): string {
  const wanted = "a picture (PNG, JPEG, WebP …) or a model of patches (.safetensors)";
  return `${name} is neither a picture nor a model; expected ${wanted}.`;
}
