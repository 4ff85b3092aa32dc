/** The picture at hand: its file, how it looks with its noise, and its figures. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { compute, isCancelled } from "../../compute/compute.js";
import type { NamedFile } from "../../named-file.js";
import { labPhotographs } from "../../photographs.js";
import { sentenceOf } from "../../sentence-of.js";
import { usePhotograph } from "../../use-photograph.js";
import type { Figures, Looks } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { Subject } from "./subject.js";

export interface Prepared {
  readonly subject: Subject;
  readonly looks: Looks;
  /** Null until they are there, too. */
  readonly figures: Figures | null;
}

export interface SubjectOfPanel {
  /** Null while it is loaded, and where it could not be. */
  readonly subject: Subject | null;
  /** How it looks; that of before stays until the next one is there. */
  readonly prepared: Prepared | null;
  /** Whether what is prepared is what is chosen. */
  readonly isReady: boolean;
  /** The name of what is loaded or made noisy at the moment. */
  readonly preparing: string | null;
  /** Of what is chosen, for as long as it is. */
  readonly problem: string | null;
  readonly tryAgain: () => void;
}

interface Failed {
  readonly subject: Subject;
  readonly problem: string;
}

/** `own` is a file of the user, instead of the photograph. */
export function useSubject(state: DenoiseState, own: NamedFile | null): SubjectOfPanel {
  const { photo, part, noise, added, seed } = state;
  const photograph = usePhotograph(own ? null : photo);
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  const [round, setRound] = useState(0);
  const file = own ?? photograph.file;
  const subject = useMemo<Subject | null>(
    () =>
      file && {
        ...file,
        side: part === "whole" ? null : Number(part),
        noise: noise === "add" ? { sigma: added, seed } : null,
      },
    [file, part, noise, added, seed],
  );
  useEffect(() => {
    setFailed(null);
    if (!subject) return undefined;
    const controller = new AbortController();
    // A slider that moves asks for many.
    const timer = setTimeout(() => {
      prepare(subject, controller.signal, setPrepared).catch((error: unknown) => {
        if (controller.signal.aborted || isCancelled(error)) return;
        setFailed({ subject, problem: sentenceOf(error) });
      });
    }, 150);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [subject, round]);
  const tryAgain = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  const isReady = subject !== null && prepared?.subject === subject;
  const unprepared = failed?.subject === subject ? failed.problem : null;
  const problem = photograph.problem ?? unprepared;
  return {
    ...{ subject, prepared, isReady, problem },
    preparing: isReady || problem !== null ? null : (own?.file.name ?? titleOf(photo)),
    tryAgain: subject ? tryAgain : photograph.tryAgain,
  };
}

/** Tells of the picture as soon as it can be shown, and again with its figures. */
async function prepare(
  subject: Subject,
  signal: AbortSignal,
  tell: (prepared: Prepared) => void,
): Promise<void> {
  let shown: Looks | undefined;
  const onReport = (looks: Looks): void => {
    shown = looks;
    if (!signal.aborted) tell({ subject, looks, figures: null });
  };
  const figures = await compute("prepare denoising", subject, { signal, onReport });
  if (shown) tell({ subject, looks: shown, figures });
}

function titleOf(photo: string): string {
  return labPhotographs.find(({ name }) => name === photo)?.title ?? "";
}
