/** The picture of the panel: the user's file or a photograph, its looks, and its figures. */
import { useCallback, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { checkFile } from "../../check-file.js";
import { type NamedFile, namedFile } from "../../named-file.js";
import { labPhotographs } from "../../photographs.js";
import { useDropped } from "../../use-dropped.js";
import { usePhotograph } from "../../use-photograph.js";
import { useJob } from "../../use-task.js";
import type { Figures, Looks } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { Subject } from "./subject.js";

interface Held {
  readonly own: NamedFile | null;
  /** Settings of the photographs, restored when the user returns to them. */
  readonly before: Pick<DenoiseState, "part" | "noise"> | null;
}

export type OwnPicture = ReturnType<typeof useOwnPicture>;

const nothing: Held = { own: null, before: null };
const place = "picture";

/** A file of the user, in place of the photograph. */
export function useOwnPicture(state: DenoiseState, change: (part: Partial<DenoiseState>) => void) {
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
        // A part chosen while the file was read is meant for the file.
        if (!before && now.current.part === part) change({ part: "whole" });
      };
      read([{ file, place, read: check, onTaken }]);
    },
    [before, part, noise, change],
  );
  const close = useCallback(() => {
    discard(place);
    changeHeld(() => nothing);
  }, []);
  // Another photograph in the address replaces the file, also one that is still being read.
  useLayoutEffect(() => close, [photo]);
  /** Returns to a photograph. */
  const leave = useCallback(
    (chosen: DenoiseState["photo"]) => {
      close();
      change({ photo: chosen, ...before });
    },
    [before, change],
  );
  return { ...dropped, take, leave };
}

interface Prepared {
  readonly key: string;
  /** Name of the file. */
  readonly name: string;
  readonly looks: Looks;
  /** Null until they are computed. */
  readonly figures: Figures | null;
}

/** Milliseconds that a slider must rest before the next picture is prepared. */
const delay = 150;

/** Loads and prepares the chosen picture. `own` replaces the photograph. */
export function useSubject(state: DenoiseState, own: NamedFile | null) {
  const { photo, part, noise, added, seed } = state;
  const photograph = usePhotograph(own ? null : photo);
  const file = own ?? photograph.file;
  /** Null while it is loading, and if it could not be loaded. */
  const subject = useMemo<Subject | null>(
    () =>
      file && {
        ...file,
        side: part === "whole" ? null : Number(part),
        noise: noise === "add" ? { sigma: added, seed } : null,
      },
    [file, part, noise, added, seed],
  );
  const job = useJob("prepare denoising", subject, delay);
  const { key } = job;
  /** Latest prepared picture, kept until the next one arrives. */
  const prepared = useRef<Prepared | null>(null);
  if (subject) {
    const { name } = subject.file;
    if (job.report) prepared.current = { key, name, looks: job.report, figures: null };
    else if (job.output && !job.isOld) prepared.current = { key, name, ...job.output };
  }
  const isReady = subject !== null && prepared.current?.key === key;
  const problem = photograph.problem ?? job.problem;
  const title = labPhotographs.find(({ name }) => name === photo)?.title ?? "";
  return {
    subject,
    prepared: prepared.current,
    /** Whether the prepared picture is the chosen one. */
    isReady,
    problem,
    /** Name of the picture being loaded or prepared. */
    preparing: isReady || problem !== null ? null : (own?.file.name ?? title),
    tryAgain: subject ? job.again : photograph.tryAgain,
  };
}
