/**
 * The output of a job, and what there is to say beside it: a problem, the progress of the next one,
 * that it was cancelled.
 */
import type { ComponentChildren, VNode } from "preact";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Progress } from "../../components/progress.js";
import type { KeyedTask } from "../../use-task.js";
import { useLasting } from "../../use-lasting.js";

interface JobOutputProps {
  readonly job: KeyedTask<unknown>;
  /** Says what the job does. */
  readonly label: string;
  /** From 0 to 1; null while nobody knows. */
  readonly part?: number | null;
  /** "12 of 60" */
  readonly text?: string;
  /** The output, in the words of its time: it stays until the next one is there. */
  readonly children: ComponentChildren;
}

/**
 * Dims the output of an earlier input, and shows the progress of the next one over it: so nothing
 * moves.
 */
export function JobOutput({ children, ...next }: JobOutputProps): VNode {
  const { key, output, isOld, problem, state } = next.job;
  // What is over at once is not dimmed: all would flicker while a slider moves.
  const isLongOld = useLasting(isOld && output !== null);
  return (
    <div class={isLongOld ? "job-output old" : "job-output"} aria-busy={state.status === "running"}>
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
  const { status } = job.state;
  if (!isLong || !(status === "running" || status === "cancelled")) return null;
  return (
    <div class="next">
      {status === "running" ? (
        <Progress label={label} part={part} text={text} onCancel={job.cancel} />
      ) : (
        <Button onClick={job.again}>{label}</Button>
      )}
    </div>
  );
}
