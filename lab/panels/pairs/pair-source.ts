/** Where pairs come from: plain data, which says everything but what is in a dropped file. */
import type { NamedFile } from "../../named-file.js";

export const syntheticKinds = ["elliptical", "independent", "curved"] as const;
export type SyntheticKind = (typeof syntheticKinds)[number];

export type PairSource =
  | {
      readonly kind: "wavelets";
      readonly picture: NamedFile;
      /** Which of the four. */
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
