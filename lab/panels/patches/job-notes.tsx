/** What a job has to say beside its result: a problem, how far it is, that it was cancelled. */
import type { VNode } from "preact";
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
  readonly text?: string;
}

/** Of one height whatever it says, so that nothing jumps. */
export function JobNotes({ job, label, part, text = "" }: JobNotesProps): VNode {
  if (job.problem !== null) return <Notice kind="problem">{job.problem}</Notice>;
  if (job.isBusy) return <Progress {...{ label, part, text }} onCancel={job.cancel} />;
  if (!job.isOld) return <p class="progress idle">{text}</p>;
  return (
    <div class="progress">
      <Button onClick={job.again}>{label}</Button>
    </div>
  );
}
