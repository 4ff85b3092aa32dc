/** The picture at hand: its file, and how it looks with its noise. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { compute, isCancelled } from "../../compute/compute.js";
import { labPhotographs, loadPhotograph } from "../../photographs.js";
import type { Prepared } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { Subject } from "./subject.js";

interface NumberedFile {
  readonly file: File;
  readonly id: number;
}

let lastId = 0;
const numbered = (file: File): NumberedFile => ({ file, id: ++lastId });

export interface SubjectOfPanel {
  /** Null while it is loaded. */
  readonly subject: Subject | null;
  /** How it looks; that of before stays until the next one is there. */
  readonly prepared: { readonly subject: Subject; readonly looks: Prepared } | null;
  readonly problem: string | null;
}

/** `own` is a file of the user, instead of the photograph. */
export function useSubject(state: DenoiseState, own: File | null): SubjectOfPanel {
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
          setPrepared(null);
          setProblem(sentenceOf(error));
        },
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [subject]);
  return { subject, prepared, problem };
}

async function loadFile(own: File | null, photo: string): Promise<NumberedFile> {
  if (own) return numbered(own);
  const photograph = labPhotographs.find(({ name }) => name === photo) ?? labPhotographs[0];
  return numbered(await loadPhotograph(photograph));
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
