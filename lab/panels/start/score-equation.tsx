import type { VNode } from "preact";

/** Paper eq. (7). */
export function ScoreEquation(): VNode {
  return (
    <math
      display="block"
      aria-label="x hat equals x tilde plus sigma squared times the gradient of log p of x tilde"
    >
      <mover>
        <mi>x</mi>
        <mo>^</mo>
      </mover>
      <mo>=</mo>
      <Noisy />
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
      <Noisy />
      <mtext>)</mtext>
    </math>
  );
}

/** x̃ */
function Noisy(): VNode {
  return (
    <mover>
      <mi>x</mi>
      <mo>~</mo>
    </mover>
  );
}
