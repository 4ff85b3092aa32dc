/** The claims of the paper, each with our number and whether it holds. */
import type { ReportBlock } from "../../src/figures/report-blocks.js";

export interface Claim {
  readonly claim: string;
  readonly found: string;
  readonly holds: boolean | "within error";
}

/** A difference counts as significant above this number of standard errors. */
export const clear = 2;

export function isPositive(value: number, standardError: number): Claim["holds"] {
  return value > clear * standardError || (value > 0 && "within error");
}

export function claimsTable(claims: readonly Claim[], caption?: string): ReportBlock {
  return {
    kind: "table",
    ...(caption === undefined ? {} : { caption }),
    columns: [{ label: "claim" }, { label: "found" }, { label: "holds" }],
    rows: claims.map(({ claim, found, holds }) => [
      claim,
      found,
      holds === true ? "yes" : holds === false ? "no" : holds,
    ]),
  };
}
