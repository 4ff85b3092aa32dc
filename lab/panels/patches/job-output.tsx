/** What a job has given, and what there is to say beside it: a problem, how far the next one is, that it was cancelled. */
import type { ComponentChildren, VNode } from "preact";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Progress } from "../../components/progress.js";
import type { JobName } from "../../compute/protocol.js";
import type { JobState } from "../../use-job.js";
import { useLasting } from "../../use-lasting.js";

interface JobOutputProps {
  readonly job: Omit<JobState<JobName>, "report">;
  /** What it does. */
  readonly label: string;
  /** From 0 to 1; null while nobody knows. */
  readonly part?: number | null;
  /** "12 of 60" */
  readonly text?: string;
  /** What it gave, in the words of that time: it stays until the next one is there. */
  readonly children: ComponentChildren;
}

/** What is of an earlier input is dimmed, and how far the next one is stands over it: so nothing moves. */
export function JobOutput({ job, label, part = null, text = "", children }: JobOutputProps): VNode {
  const { output, problem, isBusy, wasCancelled } = job;
  // What is over at once is not said: all would flicker while a slider moves.
  const isAwaited = useLasting(job.isOld && problem === null);
  return (
    <div class={output && isAwaited ? "job-output old" : "job-output"} aria-busy={isBusy}>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <div class="given">{children}</div>
      {isAwaited && (isBusy || wasCancelled) && (
        <div class="next">
          {isBusy ? (
            <Progress {...{ label, part, text }} onCancel={job.cancel} />
          ) : (
            <Button onClick={job.again}>{label}</Button>
          )}
        </div>
      )}
    </div>
  );
}
