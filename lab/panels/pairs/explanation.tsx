/** For those who have not read the paper. */
import type { VNode } from "preact";

export function Explanation(): VNode {
  return (
    <>
      <p>
        A model here is an invertible map that makes data normal. Whatever it maps to the standard
        normal has the density
      </p>
      <math
        display="block"
        aria-label="p of x is N of y times the absolute determinant of d y by d x"
      >
        <mi>p</mi>
        <mtext>(</mtext>
        <mi>x</mi>
        <mtext>)</mtext>
        <mo>=</mo>
        <mi mathvariant="normal">N</mi>
        <mtext>(</mtext>
        <mi>y</mi>
        <mo>;</mo>
        <mn>0</mn>
        <mo>,</mo>
        <mi>I</mi>
        <mtext>)</mtext>
        <mrow>
          <mo>|</mo>
          <mi>det</mi>
          <mfrac>
            <mrow>
              <mo>∂</mo>
              <mi>y</mi>
            </mrow>
            <mrow>
              <mo>∂</mo>
              <mi>x</mi>
            </mrow>
          </mfrac>
          <mo>|</mo>
        </mrow>
      </math>
      <p>The map is linear, then divides each component by a pool of all of them:</p>
      <Normalization />
      <p>
        All models are this one with some parameters tied. <strong>ICA-MG</strong>: each component
        divides by itself only, for independent components. <strong>RG</strong>: α = 2 and one pool
        for all, for elliptical densities. <strong>Lₚ</strong>: the same with a free exponent p.{" "}
        <strong>GDN</strong>: everything free, with both as special cases.
      </p>
      <p>
        The fit raises the likelihood, which lowers <strong>ΔJ</strong>, the change of the distance
        from the normal distribution (negentropy): a cloud that is round and normal has nothing left
        to lower. <strong>Mutual information</strong> is what one component tells of the other: none
        after a perfect fit.
      </p>
      <p>
        Try wavelet coefficients at growing separations: neighbours are nearly elliptical, distant
        ones nearly independent, and only GDN follows from one to the other. The curved pairs are
        beyond all four: one such layer is symmetric, p(x) = p(−x) about the mean.
      </p>
    </>
  );
}

/** Paper eq. (5). */
function Normalization(): VNode {
  return (
    <math
      display="block"
      aria-label="y i is z i over beta i plus the sum over j of gamma i j times the absolute value of z j to the alpha i j, to the epsilon i; z is H x"
    >
      <msub>
        <mi>y</mi>
        <mi>i</mi>
      </msub>
      <mo>=</mo>
      <mfrac>
        <msub>
          <mi>z</mi>
          <mi>i</mi>
        </msub>
        <msup>
          <mrow>
            <mo>(</mo>
            <msub>
              <mi>β</mi>
              <mi>i</mi>
            </msub>
            <mo>+</mo>
            <munder>
              <mo>∑</mo>
              <mi>j</mi>
            </munder>
            <msub>
              <mi>γ</mi>
              <mrow>
                <mi>i</mi>
                <mi>j</mi>
              </mrow>
            </msub>
            <msup>
              <mrow>
                <mo>|</mo>
                <msub>
                  <mi>z</mi>
                  <mi>j</mi>
                </msub>
                <mo>|</mo>
              </mrow>
              <msub>
                <mi>α</mi>
                <mrow>
                  <mi>i</mi>
                  <mi>j</mi>
                </mrow>
              </msub>
            </msup>
            <mo>)</mo>
          </mrow>
          <msub>
            <mi>ε</mi>
            <mi>i</mi>
          </msub>
        </msup>
      </mfrac>
      <mo>,</mo>
      <mi>z</mi>
      <mo>=</mo>
      <mi>H</mi>
      <mi>x</mi>
    </math>
  );
}
