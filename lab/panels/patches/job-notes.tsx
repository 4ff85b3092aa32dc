/** What a job has to say beside its result: a problem, how far it is, that it was cancelled. */
import type { ComponentChildren, VNode } from "preact";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Progress } from "../../components/progress.js";

interface JobNotesProps {
  readonly job: {
    readonly problem: string | null;
    readonly isBusy: boolean;
    readonly isOld: boolean;
    readonly cancel: () => void;
    readonly again: () => void;
  };
  readonly label: string;
  /** From 0 to 1; null while nobody knows. */
  readonly part: number | null;
  /** "12 of 60" */
  readonly text?: string;
  /** When it is done. */
  readonly children: ComponentChildren;
}

/** Of one height whatever it says, so that nothing jumps. */
export function JobNotes({ job, label, part, text = "", children }: JobNotesProps): VNode {
  if (job.problem !== null) return <Notice kind="problem">{job.problem}</Notice>;
  if (job.isBusy) {
    return (
      <div class="job-done">
        <Progress {...{ label, part, text }} onCancel={job.cancel} />
      </div>
    );
  }
  if (!job.isOld) return <p class="job-done">{children}</p>;
  return (
    <div class="job-done">
      <Button onClick={job.again}>{label}</Button>
    </div>
  );
}
