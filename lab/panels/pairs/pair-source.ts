/** The source of pairs, as plain data: it says everything but what is in a dropped file. */
import type { NamedFile } from "../../named-file.js";

export const syntheticKinds = ["elliptical", "independent", "curved"] as const;
export type SyntheticKind = (typeof syntheticKinds)[number];

/** Squares show so many standard deviations around the mean. */
export const reach = 4;

export type PairSource =
  | {
      readonly kind: "wavelets";
      readonly picture: NamedFile;
      /** Index from 0 to 3. */
      readonly orientation: number;
      readonly separation: number;
      readonly count: number;
      readonly seed: string;
    }
  | { readonly kind: SyntheticKind; readonly count: number; readonly seed: string }
  | { readonly kind: "csv"; readonly table: NamedFile; readonly seed: string };

/** The same text for the same pairs. */
export function keyOf(source: PairSource): string {
  return JSON.stringify(source, (name, value: unknown) => (name === "file" ? undefined : value));
}
