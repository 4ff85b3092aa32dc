/** For those who have not read the paper. */
import type { VNode } from "preact";
import { InducedDensity, Normalization } from "../../components/equations.js";

export function Explanation(): VNode {
  return (
    <>
      <p>
        A model here is an invertible map that makes data normal. Whatever it maps to the standard
        normal has the density
      </p>
      <InducedDensity />
      <p>The map is linear, then divides each component by a pool of all of them:</p>
      <Normalization exponents="of pairs" />
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
