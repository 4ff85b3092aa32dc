/** Shows the output of a job, its problem, and the progress of the next run. */
import type { ComponentChildren, VNode } from "preact";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { Progress } from "../../components/progress.js";
import type { KeyedTask } from "../../use-task.js";
import { useLasting } from "../../use-lasting.js";

interface NextProps {
  readonly job: Pick<KeyedTask<unknown>, "state" | "cancel" | "again">;
  /** Describes the work of the job. */
  readonly label: string;
  /** From 0 to 1; null if unknown. */
  readonly part?: number | null;
  /** "12 of 60" */
  readonly text?: string;
}

interface JobOutputProps<Output> extends NextProps {
  readonly job: KeyedTask<Output>;
  /** Shown until the first output. */
  readonly waiting: ComponentChildren;
  /** Draws an output, which stays until the next one is ready. */
  readonly children: (output: NonNullable<Output>) => ComponentChildren;
}

/** Dims an outdated output, with the progress of the next one over it, so nothing moves. */
export function JobOutput<Output>(props: JobOutputProps<Output>): VNode {
  const { waiting, children, ...next } = props;
  const { key, output, isOld, problem, state } = next.job;
  // Short work does not dim the output: it would flicker while a slider moves.
  const isLongOld = useLasting(isOld && output !== null);
  return (
    <div class={isLongOld ? "job-output old" : "job-output"} aria-busy={state.status === "running"}>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      {/* The key keeps elements of the placeholder from being moved into the output. */}
      <div key={output ? "output" : "waiting"} class="given">
        {output ? children(output) : problem === null && waiting}
      </div>
      {isOld && problem === null && <Next key={key} {...next} />}
    </div>
  );
}

/** Shows the progress of long work, or a button to restart it after it was cancelled. */
function Next({ job, label, part = null, text = "" }: NextProps): VNode | null {
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
