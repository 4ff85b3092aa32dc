import type { VNode } from "preact";
import { InducedDensity, Normalization } from "../../components/equations.js";

interface PatchesExplanationProps {
  /** In pixels, of the model at hand. */
  readonly patchSide: number;
}

/** For students who have not read the paper. */
export function PatchesExplanation({ patchSide }: PatchesExplanationProps): VNode {
  return (
    <>
      <p>
        A patch <i>x</i> of {patchSide}×{patchSide} pixels is a point in {patchSide * patchSide}{" "}
        dimensions. The model is a transform that makes patches of photographs normal: filters, the
        rows of <i>H</i>, give responses <i>z</i> = <i>Hx</i>, and each response is divided by a
        pool of all of them (paper eq. 5):
      </p>
      <Normalization exponents="of filters" />
      <p>
        Since the transform can be undone, it is a density: draw a normal vector <i>y</i>, and what
        it is the transform of is a <em>sample</em>. How likely a patch is (paper eq. 1):
      </p>
      <InducedDensity isLog />
      <p>
        The three models that come with the page differ in the pool. ICA-MG divides every response
        by itself: it takes the filters for independent. RG divides all by one norm. GDN learns from
        photographs who divides whom, and is the likeliest of the three. All were fitted to 16×16
        patches of the 24 photographs of the Kodak set.
      </p>
      <p>
        <em>Temperature</em> scales <i>y</i> before the way back: below 1 the draws are flatter than
        the density's own, above 1 wilder. A <em>walk</em> goes from the <i>y</i> of one draw, a, to
        that of another, b. In many dimensions nearly all normal vectors are equally long; a
        straight line cuts through the middle, where there are none. The arc does not:
      </p>
      <math
        display="block"
        aria-label="y of t is 1 minus t, times a, plus t times b, over the square root of the sum of the squares of 1 minus t and t"
      >
        <mi>y</mi>
        <mtext>(</mtext>
        <mi>t</mi>
        <mtext>)</mtext>
        <mo>=</mo>
        <mfrac>
          <mrow>
            <mtext>(</mtext>
            <mn>1</mn>
            <mo>−</mo>
            <mi>t</mi>
            <mtext>)</mtext>
            <mi>a</mi>
            <mo>+</mo>
            <mi>t</mi>
            <mi>b</mi>
          </mrow>
          <msqrt>
            <msup>
              <mrow>
                <mtext>(</mtext>
                <mn>1</mn>
                <mo>−</mo>
                <mi>t</mi>
                <mtext>)</mtext>
              </mrow>
              <mn>2</mn>
            </msup>
            <mo>+</mo>
            <msup>
              <mi>t</mi>
              <mn>2</mn>
            </msup>
          </msqrt>
        </mfrac>
      </math>
      <p>
        Every place on it is a normal vector, and its patch a draw as good as those at the ends.
        Samples and likelihoods are those of <code>gaussianize sample</code> and{" "}
        <code>gaussianize evaluate</code>, for the same seed and the same pixels.
      </p>
    </>
  );
}
