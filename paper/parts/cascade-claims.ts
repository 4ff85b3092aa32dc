/** What the paper says of its two-stage model, each claim with our number and whether it holds. */
import { type ReportBlock, measured as measuredText } from "../../src/index.js";
import { type PairKind, pairKinds } from "./cascade-information.js";
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
  return claimsTable(
    [
      ...marginalClaims(cascade),
      ...pairKinds.slice(0, -1).map((kind) => informationClaim(cascade, kind)),
      likelihoodClaim(cascade),
      roundTripClaim(cascade),
    ],
    `On images left out, ± one standard error by leaving out images. A difference counts from ${clear} standard errors on.`,
  );
}

function marginalClaims({ heldOut }: MeasuredCascade): Claim[] {
  const [firstCica, secondCica, secondGdn] = (
    ["first CICA", "second CICA", "second GDN"] as const
  ).map((stage) => heldOut[stage]);
  const ratio = divergenceRatio(heldOut);
  const less = difference(firstCica.excessKurtosis, secondCica.excessKurtosis);
  return [
    {
      claim: "the second CICA finds directions that are heavy-tailed: their excess kurtosis",
      found: textOf(secondCica.excessKurtosis),
      holds: isAbove(secondCica.excessKurtosis),
    },
    {
      claim: "less so than those of the first: kurtosis of the first CICA less that of the second",
      found: textOf(less),
      holds: isAbove(less),
    },
    {
      claim: `the second GDN Gaussianizes them: KL at least ${leastRatio} times smaller`,
      found: `${textOf(ratio)} times (${textOf(secondCica.divergence)} and ${textOf(secondGdn.divergence)} nats)`,
      holds: ratio.value >= leastRatio,
    },
  ];
}

function informationClaim({ information }: MeasuredCascade, kind: PairKind): Claim {
  const [before, after] = (["first GDN", "second GDN"] as const).map(
    (stage) => information[stage][kind].byNeighbours,
  );
  const fall = difference(before, after);
  return {
    claim: `neighbouring locations tell less about each other after the second stage: ${kind}`,
    found: `${textOf(before)} → ${textOf(after)} bits`,
    holds: isAbove(fall),
  };
}

function likelihoodClaim({ likelihoods }: MeasuredCascade): Claim {
  const [one, two] = likelihoods;
  const { value, error } = gainOf(two, one, "heldOut");
  return {
    claim: "images are more likely to two stages than to one",
    found: `${measuredText(value, error).replaceAll(" ± ", "\u00a0±\u00a0")} nats per pixel`,
    holds: value > clear * error || (value > 0 && "within error"),
  };
}

function roundTripClaim({ trips }: MeasuredCascade): Claim {
  const worst = Math.max(...trips.map(({ trip }) => trip.largest));
  return {
    claim: `a whole image comes back to ${mostLost} of its largest value in single precision`,
    found: worst.toPrecision(2),
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
