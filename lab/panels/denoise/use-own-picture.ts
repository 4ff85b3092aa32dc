/** A picture of the user in place of the photograph. A file that cannot be read changes nothing. */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { type NamedFile, namedFile } from "../../named-file.js";
import { sentenceOf } from "../../sentence-of.js";
import type { DenoiseState } from "./settings.js";

export interface OwnPicture {
  readonly own: NamedFile | null;
  /** The name of a file that is looked at, before it takes the place of what is there. */
  readonly reading: string | null;
  readonly problem: string | null;
  readonly closeProblem: () => void;
  readonly take: (file: File) => void;
  /** To a photograph, with the settings that they had; a file that is still read is not taken. */
  readonly leave: (photo: DenoiseState["photo"]) => void;
}

type Remembered = Pick<DenoiseState, "part" | "noise">;

export function useOwnPicture(
  state: DenoiseState,
  change: (part: Partial<DenoiseState>) => void,
): OwnPicture {
  const [own, setOwn] = useState<NamedFile | null>(null);
  const [before, setBefore] = useState<Remembered | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [reading, setReading] = useState<string | null>(null);
  const lastAsked = useRef<NamedFile | null>(null);
  const now = useRef(state);
  now.current = state;
  const { photo, part, noise } = state;
  const take = useCallback(
    (file: File) => {
      const asked = namedFile(file);
      lastAsked.current = asked;
      setProblem(null);
      setReading(file.name);
      compute("check picture", asked).then(
        () => {
          // Who drops another one meanwhile wants that.
          if (lastAsked.current !== asked) return;
          setReading(null);
          setOwn(asked);
          if (before) return;
          setBefore({ part, noise });
          // A part that was chosen meanwhile is meant for the file.
          if (now.current.part === part) change({ part: "whole" });
        },
        (error: unknown) => {
          if (lastAsked.current !== asked) return;
          setReading(null);
          setProblem(sentenceOf(error));
        },
      );
    },
    [before, part, noise, change],
  );
  const putAway = useCallback(() => {
    lastAsked.current = null;
    setReading(null);
    setOwn(null);
    setBefore(null);
  }, []);
  // Another photograph in the address takes the place of a file, also of one that is still read.
  useLayoutEffect(() => putAway, [photo, putAway]);
  const leave = useCallback(
    (chosen: DenoiseState["photo"]) => {
      putAway();
      change({ photo: chosen, ...before });
    },
    [before, change, putAway],
  );
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  return { own, reading, problem, closeProblem, take, leave };
}
