/** Explanations of the panel, for readers who do not know the paper. */
import type { VNode } from "preact";
import { InducedDensity, Normalization } from "../../components/equations.js";
import type { ImageModelSizes } from "../../compute/image-filters.js";

/** For models of patches (paper §4.2). */
export function PatchesExplanation({ patchSide }: { readonly patchSide: number }): VNode {
  return (
    <>
      <p>
        A patch <i>x</i> of {patchSide}×{patchSide} pixels is a point in {patchSide * patchSide}{" "}
        dimensions. The model transforms patches of photographs into normal vectors: filters, the
        rows of <i>H</i>, give responses <i>z</i> = <i>Hx</i>, and each response is divided by a
        pool of all responses (paper eq. 5):
      </p>
      <Normalization exponents="of filters" />
      <p>
        The transform is invertible, so it defines a density. To draw a <em>sample</em>, draw a
        normal vector <i>y</i> and invert the transform. The log-density of a patch is (paper eq.
        1):
      </p>
      <InducedDensity isLog />
      <p>
        The three models of this page differ in the pool. ICA-MG divides each response by itself
        alone, as if filters were independent. RG divides all responses by one norm. GDN learns
        which filters divide which, and gives photographs the highest likelihood of the three. All
        were fitted to 16×16 patches of the 24 photographs of the Kodak set.
      </p>
      <p>
        <em>Temperature</em> scales <i>y</i> before the inversion: below 1, samples are flatter than
        those of the density; above 1, they are more extreme. A <em>walk</em> leads from the{" "}
        <i>y</i> of sample A, called <i>a</i>, to that of sample B, called <i>b</i>. In many
        dimensions, nearly all normal vectors have the same length. A straight line passes through
        shorter vectors, which hardly ever occur. The arc avoids them:
      </p>
      <math
        display="block"
        aria-label="y of t equals 1 minus t, times a, plus t times b, over the square root of the sum of the squares of 1 minus t and t"
      >
        <mi>y</mi>
        <mtext>(</mtext>
        <mi>t</mi>
        <mtext>)</mtext>
        <mo>=</mo>
        <mfrac>
          <mrow>
            <OneMinusT />
            <mi>a</mi>
            <mo>+</mo>
            <mi>t</mi>
            <mi>b</mi>
          </mrow>
          <msqrt>
            <msup>
              <OneMinusT />
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
        Each point of the arc is a normal vector, so its patch is as good a sample as A and B. For
        the same seed and pixels, samples and likelihoods equal those of{" "}
        <code>gaussianize sample</code> and <code>gaussianize evaluate</code>.
      </p>
    </>
  );
}

/** (1 − t) */
function OneMinusT(): VNode {
  return (
    <mrow>
      <mtext>(</mtext>
      <mn>1</mn>
      <mo>−</mo>
      <mi>t</mi>
      <mtext>)</mtext>
    </mrow>
  );
}

/** For models of whole images (paper §4.3). */
export function ImagesExplanation({ stride, filterSide, convolutions }: ImageModelSizes): VNode {
  const maps = stride * stride;
  return (
    <>
      <p>
        The model transforms a whole image <i>x</i> into a field <i>y</i> of normal numbers (paper,
        section 4.3). The image may have any size. A convolution <i>H</i> places filters of{" "}
        {filterSide}×{filterSide} pixels every {stride} pixels. It gives {maps} responses <i>z</i>{" "}
        for each block of {stride}×{stride} pixels, as many as the block has pixels. Each response
        is divided by a pool of the responses at the same place (paper eq. 5):
      </p>
      <Normalization exponents="of filters" />
      {convolutions > 1 && (
        <p>
          A second stage does the same again. Its filters mix the divided responses of neighbouring
          blocks. They do not see pixels, but without the division between the stages each would be
          a filter of pixels, its <em>receptive field</em>.
        </p>
      )}
      <p>
        The transform is invertible, so it defines a density. To draw a <em>sample</em>, draw a
        normal field <i>y</i> and invert the transform. <em>Temperature</em> scales <i>y</i> before
        the inversion: below 1, samples are flatter than those of the density; above 1, they are
        more extreme. The log-density of an image is (paper eq. 1):
      </p>
      <InducedDensity isLog />
      <p>
        All terms are sums over blocks, except the determinants of the convolutions. The{" "}
        <em>map</em> divides those evenly, so that the values of all blocks add up to the
        log-density of the picture.
      </p>
      <p>
        For the same seed and pixels, samples and likelihoods equal those of{" "}
        <code>gaussianize sample</code> and <code>gaussianize evaluate</code>.
      </p>
    </>
  );
}
