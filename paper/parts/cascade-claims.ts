/** The claims of the paper about its two-stage model, in numbers. */
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { prose } from "../../src/figures/report-text.js";
import { measured as measuredText } from "../../src/numbers/format-number.js";
import { type PairKind, pairKinds } from "./cascade-information.js";
import type { CascadeMarginals } from "./cascade-marginals.js";
import type { MeasuredCascade } from "./cascade-measures.js";
import { divergenceRatio, gainOf, textOf, unbroken } from "./cascade-numbers.js";
import { type Claim, claimsTable, clear, isPositive } from "./claims.js";
import { type LeftOut, difference, standardErrorOf } from "./left-out.js";

/** Ratio of divergences that counts as “effectively Gaussianized”. */
const leastRatio = 10;
/** Error relative to the largest value below which an image counts as recovered. */
const mostLost = 1e-4;

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

export const aboutClaims = prose`
  The claims of the paper, and the purpose of a cascade, in numbers. They are for held-out images
  unless stated otherwise, ± one standard error from leaving out images. A difference is significant
  above ${clear} standard errors.
`;

function tailClaims({ heldOut }: MeasuredCascade): Claim[] {
  const [first, second] = (["first CICA", "second CICA"] as const).map(
    (stage) => heldOut[stage].excessKurtosis,
  );
  return [
    {
      claim: "second CICA: heavy tails again",
      found: textOf(second),
      holds: exceedsZero(second),
    },
    {
      claim: "less heavy than the first CICA’s",
      found: `${textOf(first)} → ${textOf(second)}`,
      holds: exceedsZero(difference(first, second)),
    },
  ];
}

function ratioClaim(images: string, marginals: CascadeMarginals): Claim {
  const ratio = divergenceRatio(marginals);
  const [before, after] = [marginals["second CICA"].divergence, marginals["second GDN"].divergence];
  return {
    claim: `second GDN: KL ${leastRatio} times smaller, ${images}`,
    found: prose`
      ${textOf(ratio)} times (${before.value.toPrecision(2)} → ${after.value.toPrecision(2)} nats)
    `,
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
    holds: exceedsZero(difference(before, after)),
  };
}

function likelihoodClaims({ likelihoods }: MeasuredCascade): Claim[] {
  const [one, ...others] = likelihoods;
  return others.map((other) => {
    const gain = gainOf(other, one, "heldOut");
    return {
      claim: `more likely than one stage: ${other.title}`,
      found: `${unbroken(measuredText(gain.value, gain.error))} nats per pixel`,
      holds: isPositive(gain.value, gain.error),
    };
  });
}

function roundTripClaim({ trips }: MeasuredCascade): Claim {
  const worst = Math.max(...trips.map(({ trip }) => trip.largest));
  return {
    claim: `a whole image is recovered, to ${mostLost}`,
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

function exceedsZero(number: LeftOut): Claim["holds"] {
  return isPositive(number.value, standardErrorOf(number));
}
