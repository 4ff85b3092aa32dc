/**
 * What the paper says of its figure of mutual information, each claim with our number and whether
 * it holds.
 */
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { withMinus } from "../../src/numbers/format-number.js";
import { type Claim, claimsTable } from "./claims.js";
import {
  type Estimate,
  type Measured,
  differenceOf,
  errorOf,
  meanEstimate,
} from "./pair-information.js";
import type { PairTransform } from "./pair-transforms.js";

/** In bits: what counts as nothing, and as near to nothing. */
const negligible = 0.01;
const small = 0.02;
/** In standard errors: what counts as a difference. */
const clear = 2;

export function pairClaims(measured: readonly Measured[]): ReportBlock {
  return claimsTable(
    claimsOf(measured),
    `The claims of the paper in numbers: bits, by nearest neighbours, ± standard error. A difference is significant from ${clear} standard errors on.`,
  );
}

function claimsOf(measured: readonly Measured[]): Claim[] {
  const [near, far] = [measured[0], measured[measured.length - 1]];
  const gain = differenceOf(at(near, "raw"), at(near, "ICA"));
  const change = differenceOf(at(far, "raw"), at(far, "ICA"));
  const excess = differenceOf(at(far, "RG"), at(far, "raw"));
  const left = at(near, "RG");
  return [
    {
      claim: `a linear transform helps at small distances: raw less ICA, d = ${near.separation}`,
      found: text(gain),
      holds: gain.inBits > clear * errorOf(gain),
    },
    {
      claim: `and not at large ones: raw less ICA, d = ${far.separation}`,
      found: text(change),
      holds: Math.abs(change.inBits) < negligible,
    },
    {
      claim: `RG leaves little at small distances: RG, d = ${near.separation}`,
      found: text(left),
      holds: left.inBits < small,
    },
    {
      claim: `and adds some at large ones: RG less raw, d = ${far.separation}`,
      found: text(excess),
      holds: excess.inBits > clear * errorOf(excess) || (excess.inBits > 0 && "within error"),
    },
    residualClaim(measured),
    lowestClaim(measured),
  ];
}

function residualClaim(measured: readonly Measured[]): Claim {
  const all = measured.map((each) => at(each, "GDN"));
  const most = all.reduce((a, b) => (b.inBits > a.inBits ? b : a));
  const isSmall = (of: Estimate): boolean => of.inBits < Math.max(negligible, clear * errorOf(of));
  const count = all.filter(isSmall).length;
  return {
    claim: `GDN leaves less than ${negligible} bits, or nothing within error, at every distance`,
    found: `${count} of ${all.length}; at most ${text(most)}`,
    holds: count === all.length,
  };
}

function lowestClaim(measured: readonly Measured[]): Claim {
  const others: readonly PairTransform[] = ["raw", "ICA", "ICA-MG", "RG"];
  const isLowest = (each: Measured, slack: number): boolean =>
    others.every((transform) => {
      const more = differenceOf(at(each, "GDN"), at(each, transform));
      return more.inBits <= slack * errorOf(more);
    });
  const strictly = measured.filter((each) => isLowest(each, 0)).length;
  const within = measured.filter((each) => isLowest(each, clear)).length;
  return {
    claim: "GDN leaves the least of raw, ICA, ICA-MG, RG and GDN, at every distance",
    found: `${strictly} of ${measured.length}; ${within} within error`,
    holds: strictly === measured.length || (within === measured.length && "within error"),
  };
}

function at({ of }: Measured, transform: PairTransform): Estimate {
  return meanEstimate(of[transform].byNeighbours);
}

function text(estimate: Estimate): string {
  const digits = (value: number): string => withMinus(value.toFixed(4));
  return `${digits(estimate.inBits)}\u00a0±\u00a0${digits(errorOf(estimate))}`;
}
