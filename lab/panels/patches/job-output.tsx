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
export function JobOutput({ children, ...next }: JobOutputProps): VNode {
  const { key, output, isOld, problem, isBusy } = next.job;
  // What is over at once is not dimmed: all would flicker while a slider moves.
  const isLongOld = useLasting(isOld && output !== null);
  return (
    <div class={isLongOld ? "job-output old" : "job-output"} aria-busy={isBusy}>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <div class="given">{children}</div>
      {isOld && problem === null && <Next key={key} {...next} />}
    </div>
  );
}

/** Nothing at first: a slider that moves wants another one at every step. */
function Next(props: Omit<JobOutputProps, "children">): VNode | null {
  const { job, label, part = null, text = "" } = props;
  const isLong = useLasting(true);
  if (!isLong || !(job.isBusy || job.wasCancelled)) return null;
  return (
    <div class="next">
      {job.isBusy ? (
        <Progress {...{ label, part, text }} onCancel={job.cancel} />
      ) : (
        <Button onClick={job.again}>{label}</Button>
      )}
    </div>
  );
}
