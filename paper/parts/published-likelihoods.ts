/**
 * What others report for 8×8 patches of BSDS300: facts to compare with, cited, not rerun. Written down from memory: nobody has yet
 * held them against the tables, and the report says so.
 */

export interface PublishedLikelihood {
  readonly model: string;
  /** Patches without their mean, 63 dimensions. */
  readonly nats: number;
  /** With their mean, 64 dimensions, where it was given. */
  readonly bitsPerPixel: number | null;
  readonly source: Source;
}

export interface Source {
  readonly name: string;
  readonly short: string;
  /** After the point, of its values in nats. */
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

/** By year. The 64 dimensions of Theis & Bethge take the mean for independent of the rest. */
export const publishedLikelihoods: readonly PublishedLikelihood[] = [
  { model: "RNADE, 1 hidden layer", nats: 143.2, bitsPerPixel: 3.146, source: theisBethge },
  { model: "RNADE", nats: 152.1, bitsPerPixel: 3.346, source: theisBethge },
  { model: "GMM, 200 components", nats: 153.7, bitsPerPixel: 3.36, source: theisBethge },
  { model: "MCGSM, 16 components", nats: 155.1, bitsPerPixel: 3.413, source: theisBethge },
  { model: "RNADE, 6 hidden layers", nats: 155.2, bitsPerPixel: 3.416, source: theisBethge },
  { model: "STM, 200 components", nats: 155.3, bitsPerPixel: 3.418, source: theisBethge },
  { model: "Deep GMM, 3 layers", nats: 156.2, bitsPerPixel: 3.439, source: theisBethge },
  { model: "EoRNADE, 6 hidden layers", nats: 157.0, bitsPerPixel: 3.457, source: theisBethge },
  { model: "MAF MoG", nats: 156.36, bitsPerPixel: null, source: papamakarios },
  { model: "RQ-NSF (AR)", nats: 157.54, bitsPerPixel: null, source: durkan },
];
