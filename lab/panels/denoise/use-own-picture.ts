/** A picture of the user in place of the photograph. */
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { checkFile } from "../../check-file.js";
import { type NamedFile, namedFile } from "../../named-file.js";
import { type Dropped, useDropped } from "../../use-dropped.js";
import type { DenoiseState } from "./settings.js";

interface Held {
  readonly own: NamedFile | null;
  /** Settings of the photographs, which come back with them. */
  readonly before: Pick<DenoiseState, "part" | "noise"> | null;
}

export interface OwnPicture extends Pick<
  Dropped<Held>,
  "held" | "reading" | "problems" | "closeProblem"
> {
  readonly take: (file: File) => void;
  /** To a photograph, with the settings that they had; a file that is still read is not taken. */
  readonly leave: (photo: DenoiseState["photo"]) => void;
}

const nothing: Held = { own: null, before: null };
const place = "picture";

export function useOwnPicture(
  state: DenoiseState,
  change: (part: Partial<DenoiseState>) => void,
): OwnPicture {
  const dropped = useDropped(nothing);
  const { take: read, discard, change: changeHeld } = dropped;
  const { before } = dropped.held;
  const now = useRef(state);
  now.current = state;
  const { photo, part, noise } = state;
  const take = useCallback(
    (file: File) => {
      const own = namedFile(file);
      const check = async () => {
        await checkFile(["colour picture"], own);
        return (held: Held) => ({ own, before: held.before ?? { part, noise } });
      };
      const onTaken = (): void => {
        // A part that was chosen meanwhile is meant for the file.
        if (!before && now.current.part === part) change({ part: "whole" });
      };
      read([{ file, place, read: check, onTaken }]);
    },
    [before, part, noise, change],
  );
  const putAway = useCallback(() => {
    discard(place);
    changeHeld(() => nothing);
  }, []);
  // Another photograph in the address takes the place of a file, also of one that is still read.
  useLayoutEffect(() => putAway, [photo]);
  const leave = useCallback(
    (chosen: DenoiseState["photo"]) => {
      putAway();
      change({ photo: chosen, ...before });
    },
    [before, change],
  );
  return { ...dropped, take, leave };
}
