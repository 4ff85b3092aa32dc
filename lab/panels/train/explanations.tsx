/** Notes beside the figures of the panel. */
import type { VNode } from "preact";
import { Objective } from "../../components/equations.js";

export function CurveNotes(): VNode {
  return (
    <>
      <p>
        A fit looks for a transform <i>y</i> = <i>g</i>(<i>x</i>) that makes patches <i>x</i>{" "}
        normally distributed. Each step takes random patches and lowers, by gradient descent, their
        mean of
      </p>
      <Objective />
      <p>
        This is the negative log-likelihood up to a constant. The first term makes <i>y</i> small;
        the second keeps <i>g</i> from simply shrinking everything.
      </p>
      <p>
        <strong>ΔJ</strong> is this mean minus the mean of ½‖<i>x</i>‖², per pixel: the change of
        the negentropy, the distance from a normal distribution. Lower is better. The dotted line
        shows held-out pictures, which no step uses. The fit keeps the model that was best on them.
      </p>
      <p>The optimiser is Adam. A step is rejected if it leaves a patch without a density.</p>
    </>
  );
}

export function FilterNotes(): VNode {
  return (
    <>
      <p>
        First, a curve makes single pixels normal. Then <i>g</i> computes <i>z</i> = <i>Hx</i> and
        divides each <i>z</i> by a pool of all of them. Each row of <i>H</i> is a{" "}
        <strong>filter</strong>.
      </p>
      <p>
        At the start, the filters are dots that make pixels uncorrelated. After a thousand steps or
        more, some of them become oriented edges. Move the slider to see how they formed.
      </p>
      <p>
        <strong>Samples</strong> are drawn from the density: normal vectors <i>y</i>, transformed
        back to patches. The better the density, the more they look like patches of the pictures.
      </p>
    </>
  );
}
