/** The photograph of a name, loaded when it is wanted. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { NamedFile } from "./named-file.js";
import { sentenceOf } from "./sentence-of.js";
import { type LabPhotograph, labPhotographs, loadPhotograph } from "./photographs.js";

export interface LoadedPhotograph {
  /** Null while it is on its way, and where it could not be loaded. */
  readonly file: NamedFile | null;
  /** Of this photograph, as long as it is wanted. */
  readonly problem: string | null;
  /** After a problem. */
  readonly tryAgain: () => void;
}

interface Failed {
  readonly key: string;
  readonly problem: string;
}

/** Null: none is wanted. */
export function usePhotograph(name: LabPhotograph["name"] | null): LoadedPhotograph {
  const [loaded, setLoaded] = useState<NamedFile | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const found = labPhotographs.find((photograph) => photograph.name === name);
    // The last one is kept: whoever comes back to it need not wait.
    if (!found || loaded?.key === name) return undefined;
    let isCurrent = true;
    setFailed(null);
    loadPhotograph(found).then(
      (file) => {
        if (isCurrent) setLoaded({ key: found.name, file });
      },
      (error: unknown) => {
        if (isCurrent) setFailed({ key: found.name, problem: sentenceOf(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [name, round]);
  const tryAgain = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  return {
    file: loaded?.key === name ? loaded : null,
    problem: failed?.key === name ? failed.problem : null,
    tryAgain,
  };
}
