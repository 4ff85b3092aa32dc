import type { VNode } from "preact";

export function DenoiseExplanation(): VNode {
  return (
    <>
      <p>
        A density that was fitted to <em>noisy</em> patches knows how to clean them. For white noise
        of standard deviation σ, the estimate with the least mean squared error is the noisy patch,
        moved a little uphill on the logarithm of its density (empirical Bayes, Miyasawa 1961; eq. 7
        of the paper):
      </p>
      <math
        display="block"
        aria-label="x hat is x tilde plus sigma squared times the gradient of log p of x tilde"
      >
        <mover accent>
          <mi>x</mi>
          <mo>^</mo>
        </mover>
        <mo>=</mo>
        <mover accent>
          <mi>x</mi>
          <mo>~</mo>
        </mover>
        <mo>+</mo>
        <msup>
          <mi>σ</mi>
          <mn>2</mn>
        </msup>
        <mo>∇</mo>
        <mi>log</mi>
        <mo>&#8289;</mo>
        <mi>p</mi>
        <mtext>(</mtext>
        <mover accent>
          <mi>x</mi>
          <mo>~</mo>
        </mover>
        <mtext>)</mtext>
      </math>
      <p>
        No clean picture appears in it. Patches overlap, and their estimates are averaged. “One
        look” does this once; in three rounds, densities that know the estimate before look at the
        noisy picture again.
      </p>
      <p>
        GSM and marginal do without a fit, in a wavelet transform: they are what the paper compares
        with. Colours are denoised as brightness and two differences, each with the noise that it
        has.
      </p>
      <p>
        PSNR and SSIM say how near a picture is to the clean one; more is better. They are those of{" "}
        <code>gaussianize denoise</code> with the same settings, to the last digit. The picture that
        you download is rounded to 8 bits.
      </p>
    </>
  );
}
