/**
 * Published likelihoods of other models for 8×8 patches of BSDS300, cited and not rerun. If
 * `isConfirmed`, another text quotes the same value in nats; the others are from memory, and the
 * report says so. The bits per pixel are unconfirmed; they differ from the nats by one constant, as
 * they should if the mean is assumed to be independent.
 */
import type { RankingEntry } from "../../src/figures/ranking-chart.js";
import type { ReportBlock } from "../../src/figures/report-blocks.js";

export interface PublishedLikelihood {
  readonly model: string;
  /** For patches without their mean, 63 dimensions. */
  readonly nats: number;
  /** For patches with their mean, 64 dimensions; null if not given. */
  readonly bitsPerPixel: number | null;
  readonly isConfirmed: boolean;
  readonly source: Source;
}

export interface Source {
  readonly name: string;
  readonly short: string;
  /** Digits after the point of its values in nats. */
  readonly digits: number;
  readonly address: string;
}

const theisBethge: Source = {
  name: "Theis & Bethge 2015, table 1",
  short: "Theis & Bethge 2015",
  digits: 1,
  address: "https://arxiv.org/abs/1506.03478",
};
const papamakarios: Source = {
  name: "Papamakarios, Pavlakou & Murray 2017, table 1",
  short: "Papamakarios et al. 2017",
  digits: 2,
  address: "https://arxiv.org/abs/1705.07057",
};
const durkan: Source = {
  name: "Durkan, Bekasov, Murray & Papamakarios 2019, table 1",
  short: "Durkan et al. 2019",
  digits: 2,
  address: "https://arxiv.org/abs/1906.04032",
};

/**
 * From the lowest to the highest of each source. The 64 dimensions of Theis & Bethge assume that
 * the mean is independent of the rest.
 */
export const publishedLikelihoods: readonly PublishedLikelihood[] = [
  ...[
    { model: "RIDE, 2 layers", nats: 152.1, bitsPerPixel: 3.346, isConfirmed: true },
    { model: "GMM, 200 components", nats: 153.7, bitsPerPixel: null, isConfirmed: false },
    { model: "MCGSM, 16 components", nats: 155.1, bitsPerPixel: 3.413, isConfirmed: false },
    { model: "RNADE, 6 hidden layers", nats: 155.2, bitsPerPixel: 3.416, isConfirmed: true },
    { model: "STM, 200 components", nats: 155.3, bitsPerPixel: 3.418, isConfirmed: false },
    { model: "Deep GMM, 3 layers", nats: 156.2, bitsPerPixel: 3.439, isConfirmed: false },
    { model: "EoRNADE, 6 hidden layers", nats: 157.0, bitsPerPixel: 3.457, isConfirmed: true },
    { model: "EoMCGSM, 128 components", nats: 158.1, bitsPerPixel: 3.481, isConfirmed: false },
  ].map((row) => ({ ...row, source: theisBethge })),
  ...[
    { model: "Real NVP (10)", nats: 153.28, source: papamakarios },
    { model: "MADE MoG", nats: 153.71, source: papamakarios },
    { model: "MAF (5)", nats: 155.69, source: papamakarios },
    { model: "MAF MoG (5)", nats: 156.36, source: papamakarios },
    { model: "RQ-NSF (AR)", nats: 157.31, source: durkan },
    { model: "RQ-NSF (C)", nats: 157.54, source: durkan },
  ].map((row) => ({ ...row, bitsPerPixel: null, isConfirmed: true })),
];

/** The paper's values in nats for 63 dimensions. */
export const paperLikelihoods = { "ica-mg": 126.8, gdn: 151.5 };

/** The fit of docs/decisions.md, "Settings of long fits", made by the commands there. */
export const longFit = { label: "two GDNs of six layers, symmetric", nats: 157.35 };

/** Names of the series in charts of all these values. */
export const rankingSeries: readonly string[] = ["this run", "Ballé et al. 2016", "others"];

/** Returns the values for 63 dimensions for a chart; asterisks mark unconfirmed ones. */
export function publishedEntries(series: number): readonly RankingEntry[] {
  return publishedLikelihoods.map(({ model, nats, isConfirmed }) => ({
    label: `${model}${isConfirmed ? "" : "*"}`,
    value: nats,
    series,
  }));
}

export function publishedSources(): ReportBlock {
  const all = new Map<string, Source>();
  for (const { source } of publishedLikelihoods) all.set(source.name, source);
  return {
    kind: "details",
    summary: "Sources",
    entries: [...all.values()].map(
      ({ name, address }) => [name, { link: address, href: address }] as const,
    ),
  };
}
