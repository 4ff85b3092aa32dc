/** The claims of the paper about mutual information, in numbers. */
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { prose } from "../../src/figures/report-text.js";
import { withMinus } from "../../src/numbers/format-number.js";
import { type Claim, claimsTable, clear, isPositive } from "./claims.js";
import { type LeftOut, difference, meanLeftOut, standardErrorOf } from "./left-out.js";
import type { Measured } from "./pair-information.js";
import type { PairTransform } from "./pair-transforms.js";

/** In bits. */
const negligible = 0.01;
const small = 0.02;

export function pairClaims(measured: readonly Measured[]): ReportBlock {
  return claimsTable(
    claimsOf(measured),
    prose`
      The claims of the paper in numbers: bits, by nearest neighbours, ± standard error. A
      difference is significant above ${clear} standard errors.
    `,
  );
}

function claimsOf(measured: readonly Measured[]): Claim[] {
  const [near, far] = [measured[0], measured[measured.length - 1]];
  const gain = difference(at(near, "raw"), at(near, "ICA"));
  const change = difference(at(far, "raw"), at(far, "ICA"));
  const excess = difference(at(far, "RG"), at(far, "raw"));
  const left = at(near, "RG");
  return [
    {
      claim: `a linear transform helps at small distances: raw less ICA, d = ${near.separation}`,
      found: text(gain),
      holds: gain.value > clear * standardErrorOf(gain),
    },
    {
      claim: `and not at large ones: raw less ICA, d = ${far.separation}`,
      found: text(change),
      holds: Math.abs(change.value) < negligible,
    },
    {
      claim: `RG leaves little at small distances: RG, d = ${near.separation}`,
      found: text(left),
      holds: left.value < small,
    },
    {
      claim: `and adds some at large ones: RG less raw, d = ${far.separation}`,
      found: text(excess),
      holds: isPositive(excess.value, standardErrorOf(excess)),
    },
    residualClaim(measured),
    lowestClaim(measured),
  ];
}

function residualClaim(measured: readonly Measured[]): Claim {
  const all = measured.map((each) => at(each, "GDN"));
  const most = all.reduce((a, b) => (b.value > a.value ? b : a));
  const isSmall = (of: LeftOut): boolean =>
    of.value < Math.max(negligible, clear * standardErrorOf(of));
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
      const more = difference(at(each, "GDN"), at(each, transform));
      return more.value <= slack * standardErrorOf(more);
    });
  const strictly = measured.filter((each) => isLowest(each, 0)).length;
  const within = measured.filter((each) => isLowest(each, clear)).length;
  return {
    claim: "GDN leaves the least of raw, ICA, ICA-MG, RG and GDN, at every distance",
    found: `${strictly} of ${measured.length}; ${within} within error`,
    holds: strictly === measured.length || (within === measured.length && "within error"),
  };
}

function at({ of }: Measured, transform: PairTransform): LeftOut {
  return meanLeftOut(of[transform].byNeighbours);
}

function text(estimate: LeftOut): string {
  const digits = (value: number): string => withMinus(value.toFixed(4));
  return `${digits(estimate.value)}\u00a0±\u00a0${digits(standardErrorOf(estimate))}`;
}
