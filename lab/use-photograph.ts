/** The photograph of a name, loaded when it is wanted. */
import { useEffect, useState } from "preact/hooks";
import type { NamedFile } from "./named-file.js";
import { sentenceOf } from "./sentence-of.js";
import { type LabPhotograph, labPhotographs, loadPhotograph } from "./photographs.js";

export interface LoadedPhotograph {
  /** Null while it is on its way. */
  readonly file: NamedFile | null;
  readonly problem: string | null;
}

/** Null: none is wanted. */
export function usePhotograph(name: LabPhotograph["name"] | null): LoadedPhotograph {
  const [loaded, setLoaded] = useState<NamedFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const found = labPhotographs.find((photograph) => photograph.name === name);
    if (!found) return undefined;
    let isCurrent = true;
    setProblem(null);
    loadPhotograph(found).then(
      (file) => {
        if (isCurrent) setLoaded({ key: found.name, file });
      },
      (error: unknown) => {
        if (isCurrent) setProblem(sentenceOf(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  if (name === null) return { file: null, problem: null };
  return { file: loaded?.key === name ? loaded : null, problem };
}
