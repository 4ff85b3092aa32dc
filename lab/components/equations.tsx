/**
 * Equations of the paper that several panels show. Bars and brackets that must not stretch are
 * `mtext`.
 */
import type { VNode } from "preact";

interface NormalizationProps {
  /** One exponent per pair of filters, α_ij, or per filter, α_j (§4.2). */
  readonly exponents: "of pairs" | "of filters";
}

/** Paper eq. (5). */
export function Normalization({ exponents }: NormalizationProps): VNode {
  const isOfPairs = exponents === "of pairs";
  return (
    <math
      display="block"
      aria-label={`y i equals z i over, open bracket, beta i plus the sum over j of gamma i j times the absolute value of z j to the power alpha ${isOfPairs ? "i j" : "j"}, close bracket, to the power epsilon i; z equals H x`}
    >
      <Indexed symbol="y" index="i" />
      <mo>=</mo>
      <mfrac>
        <Indexed symbol="z" index="i" />
        <msup>
          <mrow>
            <mo>(</mo>
            <Indexed symbol="β" index="i" />
            <mo>+</mo>
            <munder>
              <mo>∑</mo>
              <mi>j</mi>
            </munder>
            <Indexed symbol="γ" index="ij" />
            <msup>
              <mrow>
                <mtext>|</mtext>
                <Indexed symbol="z" index="j" />
                <mtext>|</mtext>
              </mrow>
              <Indexed symbol="α" index={isOfPairs ? "ij" : "j"} />
            </msup>
            <mo>)</mo>
          </mrow>
          <Indexed symbol="ε" index="i" />
        </msup>
      </mfrac>
      <mo>,</mo>
      <mspace width="1em" />
      <mi>z</mi>
      <mo>=</mo>
      <mi>H</mi>
      <mi>x</mi>
    </math>
  );
}

/** Paper eq. (1), or its logarithm. */
export function InducedDensity({ isLog = false }: { readonly isLog?: boolean }): VNode {
  return (
    <math
      display="block"
      aria-label={
        isLog
          ? "log p of x equals log N of y plus the logarithm of the absolute determinant of d y by d x"
          : "p of x equals N of y, with mean 0 and covariance I, times the absolute determinant of d y by d x"
      }
    >
      {isLog && <Log />}
      <mi>p</mi>
      <Bracketed symbol="x" />
      <mo>=</mo>
      {isLog && <Log />}
      <mi mathvariant="normal">N</mi>
      {isLog ? <Bracketed symbol="y" /> : <StandardNormal />}
      {isLog && (
        <>
          <mo>+</mo>
          <Log />
        </>
      )}
      <JacobianDeterminant of="y" />
    </math>
  );
}

/** Objective that a fit minimises, paper eq. (3), for one patch. */
export function Objective(): VNode {
  return (
    <math
      display="block"
      aria-label="one half the squared length of g of x, minus the logarithm of the absolute determinant of d g by d x"
    >
      <mfrac>
        <mn>1</mn>
        <mn>2</mn>
      </mfrac>
      <msup>
        <mrow>
          <mtext>‖</mtext>
          <mi>g</mi>
          <Bracketed symbol="x" />
          <mtext>‖</mtext>
        </mrow>
        <mn>2</mn>
      </msup>
      <mo>−</mo>
      <Log />
      <JacobianDeterminant of="g" />
    </math>
  );
}

/** |det ∂y/∂x| */
function JacobianDeterminant({ of }: { readonly of: string }): VNode {
  return (
    <mrow>
      <mo>|</mo>
      <mspace width="0.12em" />
      <mi>det</mi>
      <mspace width="0.17em" />
      <mfrac>
        <mrow>
          <mo>∂</mo>
          <mi>{of}</mi>
        </mrow>
        <mrow>
          <mo>∂</mo>
          <mi>x</mi>
        </mrow>
      </mfrac>
      <mo>|</mo>
    </mrow>
  );
}

interface IndexedProps {
  readonly symbol: string;
  /** One or two letters. */
  readonly index: string;
}

function Indexed({ symbol, index }: IndexedProps): VNode {
  return (
    <msub>
      <mi>{symbol}</mi>
      <mrow>
        {Array.from(index, (letter) => (
          <mi>{letter}</mi>
        ))}
      </mrow>
    </msub>
  );
}

function Log(): VNode {
  return (
    <>
      <mi>log</mi>
      <mo>&#8289;</mo>
      <mspace width="0.17em" />
    </>
  );
}

function Bracketed({ symbol }: { readonly symbol: string }): VNode {
  return (
    <>
      <mtext>(</mtext>
      <mi>{symbol}</mi>
      <mtext>)</mtext>
    </>
  );
}

/** (y; 0, I) */
function StandardNormal(): VNode {
  return (
    <>
      <mtext>(</mtext>
      <mi>y</mi>
      <mo>;</mo>
      <mn>0</mn>
      <mo>,</mo>
      <mi>I</mi>
      <mtext>)</mtext>
    </>
  );
}
