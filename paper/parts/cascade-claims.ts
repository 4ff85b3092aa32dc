/** What the paper says of its two-stage model, each claim with our number and whether it holds. */
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { measured as measuredText } from "../../src/numbers/format-number.js";
import { type PairKind, pairKinds } from "./cascade-information.js";
import type { CascadeMarginals } from "./cascade-marginals.js";
import type { MeasuredCascade } from "./cascade-measures.js";
import { divergenceRatio, gainOf, textOf } from "./cascade-numbers.js";
import { type Claim, claimsTable } from "./claims.js";
import { type LeftOut, combined, standardErrorOf } from "./left-out.js";

/** How many times less divergence counts as “effectively Gaussianized”. */
const leastRatio = 10;
/** Of the largest value: what counts as coming back. */
const mostLost = 1e-3;
/** In standard errors: what counts as a difference. */
const clear = 2;

export function cascadeClaims(cascade: MeasuredCascade): ReportBlock {
  return claimsTable([
    ...tailClaims(cascade),
    ratioClaim("left out", cascade.heldOut),
    ratioClaim("fitted to", cascade.fitted),
    ...pairKinds.slice(0, -1).map((kind) => informationClaim(cascade, kind)),
    ...likelihoodClaims(cascade),
    roundTripClaim(cascade),
  ]);
}

/** Before the table. */
export const aboutClaims = `The claims of the paper, and the purpose of a cascade, in numbers. They are for held-out images unless stated otherwise, ± one standard error from leaving out images. A difference is significant from ${clear} standard errors on.`;

function tailClaims({ heldOut }: MeasuredCascade): Claim[] {
  const [first, second] = (["first CICA", "second CICA"] as const).map(
    (stage) => heldOut[stage].excessKurtosis,
  );
  return [
    { claim: "second CICA: heavy tails again", found: textOf(second), holds: isAbove(second) },
    {
      claim: "less heavy than the first CICA’s",
      found: `${textOf(first)} → ${textOf(second)}`,
      holds: isAbove(difference(first, second)),
    },
  ];
}

function ratioClaim(images: string, marginals: CascadeMarginals): Claim {
  const ratio = divergenceRatio(marginals);
  const [before, after] = [marginals["second CICA"].divergence, marginals["second GDN"].divergence];
  return {
    claim: `second GDN: KL ${leastRatio} times smaller, ${images}`,
    found: `${textOf(ratio)} times (${before.value.toPrecision(2)} → ${after.value.toPrecision(2)} nats)`,
    holds: ratio.value >= leastRatio,
  };
}

function informationClaim({ information }: MeasuredCascade, kind: PairKind): Claim {
  const [before, after] = (["first GDN", "second GDN"] as const).map(
    (stage) => information[stage][kind].byNeighbours,
  );
  return {
    claim: `less mutual information: ${kind}`,
    found: `${textOf(before)} → ${textOf(after)} bits`,
    holds: isAbove(difference(before, after)),
  };
}

function likelihoodClaims({ likelihoods }: MeasuredCascade): Claim[] {
  const [one, ...others] = likelihoods;
  return others.map((other) => {
    const { value, error } = gainOf(other, one, "heldOut");
    return {
      claim: `more likely than one stage: ${other.title}`,
      found: `${measuredText(value, error).replaceAll(" ± ", "\u00a0±\u00a0")} nats per pixel`,
      holds: value > clear * error || (value > 0 && "within error"),
    };
  });
}

function roundTripClaim({ trips }: MeasuredCascade): Claim {
  const worst = Math.max(...trips.map(({ trip }) => trip.largest));
  return {
    claim: `a whole image comes back, to ${mostLost}`,
    found: `${worst
      .toExponential(1)
      .replace("e-", " · 10⁻")
      .replace(
        /⁻(\d)/,
        (_, digit: string) => `⁻${"⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]}`,
      )} of its largest value`,
    holds: worst <= mostLost,
  };
}

function difference(a: LeftOut, b: LeftOut): LeftOut {
  return combined([a, b], ([first, second]) => first - second);
}

function isAbove(number: LeftOut): boolean | "within error" {
  const error = standardErrorOf(number);
  return number.value > clear * error || (number.value > 0 && "within error");
}
