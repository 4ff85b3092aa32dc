/** The picture at hand: its file, how it looks with its noise, and its figures. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { compute, isCancelled } from "../../compute/compute.js";
import { labPhotographs, loadPhotograph } from "../../photographs.js";
import { sentenceOf } from "../../sentence-of.js";
import type { Figures, Looks } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { NumberedFile, Subject } from "./subject.js";

let lastId = 0;

export function numbered(file: File): NumberedFile {
  return { file, id: ++lastId };
}

export interface Prepared {
  readonly subject: Subject;
  readonly looks: Looks;
  /** Null until they are there, too. */
  readonly figures: Figures | null;
}

export interface SubjectOfPanel {
  /** Null while it is loaded. */
  readonly subject: Subject | null;
  /** How it looks; that of before stays until the next one is there. */
  readonly prepared: Prepared | null;
  /** The name of what is loaded or made noisy at the moment. */
  readonly preparing: string | null;
  readonly problem: string | null;
  readonly closeProblem: () => void;
}

/** `own` is a file of the user, instead of the photograph. */
export function useSubject(state: DenoiseState, own: NumberedFile | null): SubjectOfPanel {
  const { photo, part, noise, added, seed } = state;
  const wanted = own?.id ?? photo;
  const [loaded, setLoaded] = useState<{ readonly wanted: unknown; file: NumberedFile } | null>(
    null,
  );
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setProblem(null);
    loadFile(own, photo).then(
      (file) => {
        if (isCurrent) setLoaded({ wanted, file });
      },
      (error: unknown) => {
        if (isCurrent) setProblem(sentenceOf(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  const file = loaded?.wanted === wanted ? loaded.file : null;
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
    if (!subject) return undefined;
    const controller = new AbortController();
    // A slider that moves asks for many.
    const timer = setTimeout(() => {
      prepare(subject, controller.signal, setPrepared).catch((error: unknown) => {
        if (controller.signal.aborted || isCancelled(error)) return;
        setProblem(sentenceOf(error));
      });
    }, 150);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [subject]);
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  const isReady = subject !== null && prepared?.subject === subject;
  const preparing = isReady || problem !== null ? null : (own?.file.name ?? titleOf(photo));
  return { subject, prepared, preparing, problem, closeProblem };
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

function photographOf(photo: string): (typeof labPhotographs)[number] {
  return labPhotographs.find(({ name }) => name === photo) ?? labPhotographs[0];
}

function titleOf(photo: string): string {
  return photographOf(photo).title;
}

async function loadFile(own: NumberedFile | null, photo: string): Promise<NumberedFile> {
  return own ?? numbered(await loadPhotograph(photographOf(photo)));
}
