/** For those who have not read the paper. */
import type { VNode } from "preact";
import { Objective } from "../../components/equations.js";

export function TrainExplanation(): VNode {
  return (
    <>
      <p>
        A density of patches is found by looking for a transform <i>y</i> = <i>g</i>(<i>x</i>) that
        makes them normal. Each step takes some patches at random and lowers, by the gradient, the
        mean over them of
      </p>
      <Objective />
      <p>
        which is the negative log-likelihood up to a constant: <i>y</i> is to be small, but <i>g</i>{" "}
        must not get there by shrinking everything. The steps are Adam’s: each parameter moves by
        its mean gradient over the root of its mean square. A step after which a patch has no
        density any more is rejected.
      </p>
      <p>
        <strong>ΔJ</strong> is that mean less the one of ½‖<i>x</i>‖², for each pixel: the change of
        the negentropy, which is the distance from a normal distribution. Lower is better. The
        dotted line is of pictures that no step looks at; the model that is kept is the one that was
        best there.
      </p>
      <p>
        First a curve makes single pixels normal. Then <i>g</i> is <i>z</i> = <i>Hx</i>, where each
        row of <i>H</i> is a <strong>filter</strong>, and a division of each <i>z</i> by a pool of
        all of them. <i>H</i> begins by making pixels uncorrelated, with filters that are dots; over
        a thousand steps and more, oriented edges appear among them.
      </p>
    </>
  );
}
