/** Files of the user: a picture for wavelet coefficients, and a table. */
import { isPicture } from "../../is-picture.js";
import type { NamedFile } from "../../named-file.js";
import type { PairSource } from "./pair-source.js";
import { type DataKind, type PairsState, orientations } from "./pairs-settings.js";

export interface OwnFiles {
  readonly picture: NamedFile | null;
  readonly table: NamedFile | null;
}

/** Where what says nothing of itself is what the panel has at the moment. */
export function dataOfFile(file: File, now: DataKind): "wavelets" | "csv" {
  if (isPicture(file)) return "wavelets";
  const isTable = file.type.startsWith("text/") || /\.(csv|tsv|txt)$/i.test(file.name);
  return isTable || now === "csv" ? "csv" : "wavelets";
}

/** The pairs of a state; null where it needs a file that is not there. */
export function pairSource(state: PairsState, { picture, table }: OwnFiles): PairSource | null {
  const { data: kind, separation } = state;
  const seed = String(state.seed);
  const count = Number(state.pairs);
  if (kind === "csv") return table && { kind, table, seed };
  if (kind !== "wavelets") return { kind, count, seed };
  const orientation = orientations.indexOf(state.orientation);
  return picture && { kind, picture, orientation, separation, count, seed };
}
