/** The picture at hand: its file, and how it looks with its noise. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { compute, isCancelled } from "../../compute/compute.js";
import { labPhotographs, loadPhotograph } from "../../photographs.js";
import { sentenceOf } from "../../sentence-of.js";
import type { Prepared } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { NumberedFile, Subject } from "./subject.js";

let lastId = 0;

export function numbered(file: File): NumberedFile {
  return { file, id: ++lastId };
}

export interface SubjectOfPanel {
  /** Null while it is loaded. */
  readonly subject: Subject | null;
  /** How it looks; that of before stays until the next one is there. */
  readonly prepared: { readonly subject: Subject; readonly looks: Prepared } | null;
  readonly problem: string | null;
  readonly closeProblem: () => void;
}

/** `own` is a file of the user, instead of the photograph. */
export function useSubject(state: DenoiseState, own: NumberedFile | null): SubjectOfPanel {
  const [loaded, setLoaded] = useState<NumberedFile | null>(null);
  const [prepared, setPrepared] = useState<SubjectOfPanel["prepared"]>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { photo, part, noise, added, seed } = state;
  useEffect(() => {
    let isCurrent = true;
    setLoaded(null);
    setProblem(null);
    loadFile(own, photo).then(
      (file) => {
        if (isCurrent) setLoaded(file);
      },
      (error: unknown) => {
        if (isCurrent) setProblem(sentenceOf(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [own, photo]);
  const subject = useMemo<Subject | null>(
    () =>
      loaded && {
        ...loaded,
        side: part === "whole" ? null : Number(part),
        noise: noise === "add" ? { sigma: added, seed } : null,
      },
    [loaded, part, noise, added, seed],
  );
  useEffect(() => {
    if (!subject) return undefined;
    const controller = new AbortController();
    // A slider that moves asks for many.
    const timer = setTimeout(() => {
      compute("prepare denoising", subject, { signal: controller.signal }).then(
        (looks) => {
          if (controller.signal.aborted) return;
          setPrepared({ subject, looks });
          setProblem(null);
        },
        (error: unknown) => {
          if (controller.signal.aborted || isCancelled(error)) return;
          setProblem(sentenceOf(error));
        },
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [subject]);
  const closeProblem = useCallback(() => {
    setProblem(null);
  }, []);
  return { subject, prepared, problem, closeProblem };
}

async function loadFile(own: NumberedFile | null, photo: string): Promise<NumberedFile> {
  if (own) return own;
  const photograph = labPhotographs.find(({ name }) => name === photo) ?? labPhotographs[0];
  return numbered(await loadPhotograph(photograph));
}
