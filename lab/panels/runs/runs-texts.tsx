import type { VNode } from "preact";
import { Objective } from "../../components/equations.js";

/** Where no server has runs. */
export function StaticAdvice(): VNode {
  return (
    <div class="advice">
      <p>
        This page was opened without a folder of runs. To watch fits here while they go on, start it
        with the folder in which <code>gaussianize fit</code> keeps them:
      </p>
      <pre>
        <code>{"gaussianize fit photos/ -o runs/first\ngaussianize lab runs/ --open"}</code>
      </pre>
      <p>
        The files <code>metrics.jsonl</code> and <code>model.safetensors</code> of a run can also be
        dropped on the left.
      </p>
    </div>
  );
}

export function RunsExplanation(): VNode {
  return (
    <>
      <p>
        A fit looks for the transform <i>y</i> = <i>g</i>(<i>x</i>) that makes patches of images as
        normal as possible. What it lowers, step by step, is the loss: up to a constant <i>c</i>,
        the mean of
      </p>
      <Objective />
      <p>
        ΔJ is that less the mean of ½‖<i>x</i>‖², per dimension: by how much the transform changed
        the negentropy, the distance from a normal distribution (paper eq. 4). Lower is more normal.
      </p>
      <p>
        Some images are held out: no step is made with their patches. Where the dotted line rises
        while the other falls, the fit begins to learn its images by heart; the model that is kept
        is the one of the best validation.
      </p>
    </>
  );
}
