/** A figure of the story whose job starts when the figure is near the window. */
import type { ComponentChildren, VNode } from "preact";
import { Notice } from "../../components/notice.js";
import { Button } from "../../components/controls.js";
import type { KeyedTask } from "../../use-task.js";

interface StoryFigureProps<Output> {
  readonly job: KeyedTask<Output>;
  /** Says what is computed: "Fitting a density to the patches …". */
  readonly waiting: string;
  /** Width divided by height of the figure: reserves its space. */
  readonly aspect: number;
  readonly children: (output: NonNullable<Output>) => ComponentChildren;
}

export function StoryFigure<Output>(props: StoryFigureProps<Output>): VNode {
  const { job, waiting, aspect, children } = props;
  const { output, problem, again } = job;
  if (output) return <>{children(output)}</>;
  return (
    <div class="story-waiting" style={{ aspectRatio: String(aspect) }}>
      {problem === null ? (
        <p>{waiting}</p>
      ) : (
        <div>
          <Notice kind="problem">{problem}</Notice>
          <Button onClick={again}>Try again</Button>
        </div>
      )}
    </div>
  );
}
