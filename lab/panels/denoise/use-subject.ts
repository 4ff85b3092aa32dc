/** The picture at hand: its file, how it looks with its noise, and its figures. */
import { useMemo, useRef } from "preact/hooks";
import type { NamedFile } from "../../named-file.js";
import { labPhotographs } from "../../photographs.js";
import { usePhotograph } from "../../use-photograph.js";
import { useJob } from "../../use-task.js";
import type { Figures, Looks } from "./denoise-jobs.js";
import type { DenoiseState } from "./settings.js";
import type { Subject } from "./subject.js";

export interface Prepared {
  readonly key: string;
  /** Name of the file. */
  readonly name: string;
  readonly looks: Looks;
  /** Null until they are there, too. */
  readonly figures: Figures | null;
}

export interface SubjectOfPanel {
  /** Null while it is loaded, and where it could not be. */
  readonly subject: Subject | null;
  /** Its looks; those of the one before stay until the next ones are there. */
  readonly prepared: Prepared | null;
  /** Whether what is prepared is what is chosen. */
  readonly isReady: boolean;
  /** The name of what is loaded or made noisy at the moment. */
  readonly preparing: string | null;
  readonly problem: string | null;
  readonly tryAgain: () => void;
}

/** A slider that moves asks for many: none is begun before it rests for so many milliseconds. */
const delay = 150;

/** `own` is a file of the user, instead of the photograph. */
export function useSubject(state: DenoiseState, own: NamedFile | null): SubjectOfPanel {
  const { photo, part, noise, added, seed } = state;
  const photograph = usePhotograph(own ? null : photo);
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
  const job = useJob("prepare denoising", subject, delay);
  const { key } = job;
  const prepared = useRef<Prepared | null>(null);
  if (subject) {
    const { name } = subject.file;
    if (job.report) prepared.current = { key, name, looks: job.report, figures: null };
    else if (job.output && !job.isOld) prepared.current = { key, name, ...job.output };
  }
  const isReady = subject !== null && prepared.current?.key === key;
  const problem = photograph.problem ?? job.problem;
  return {
    subject,
    prepared: prepared.current,
    isReady,
    problem,
    preparing: isReady || problem !== null ? null : (own?.file.name ?? titleOf(photo)),
    tryAgain: subject ? job.again : photograph.tryAgain,
  };
}

function titleOf(photo: string): string {
  return labPhotographs.find(({ name }) => name === photo)?.title ?? "";
}
