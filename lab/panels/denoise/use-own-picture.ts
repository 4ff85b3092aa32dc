/** A picture of the user in place of the photograph. A file that cannot be read changes nothing. */
import { useCallback, useRef, useState } from "preact/hooks";
import { compute } from "../../compute/compute.js";
import { sentenceOf } from "../../sentence-of.js";
import type { DenoiseState } from "./settings.js";
import type { NumberedFile } from "./subject.js";
import { numbered } from "./use-subject.js";

export interface OwnPicture {
  readonly own: NumberedFile | null;
  /** The name of a file that is looked at, before it takes the place of what is there. */
  readonly reading: string | null;
  readonly problem: string | null;
  readonly closeProblem: () => void;
  readonly take: (file: File) => void;
  /** Back to the photographs, with the settings that they had. */
  readonly leave: (photo: DenoiseState["photo"]) => void;
}

type Remembered = Pick<DenoiseState, "part" | "noise">;

export function useOwnPicture(
  state: DenoiseState,
  change: (part: Partial<DenoiseState>) => void,
): OwnPicture {
  const [own, setOwn] = useState<NumberedFile | null>(null);
  const [before, setBefore] = useState<Remembered | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [reading, setReading] = useState<string | null>(null);
  const lastAsked = useRef<NumberedFile | null>(null);
  const { part, noise } = state;
  const take = useCallback(
    (file: File) => {
      const asked = numbered(file);
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
          change({ part: "whole" });
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
  const leave = useCallback(
    (photo: DenoiseState["photo"]) => {
      lastAsked.current = null;
      setReading(null);
      setOwn(null);
      setBefore(null);
      change({ photo, ...before });
    },
    [before, change],
  );
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  return { own, reading, problem, closeProblem, take, leave };
}
