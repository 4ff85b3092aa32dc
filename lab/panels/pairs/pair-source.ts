/** Source of pairs, as plain data except for dropped files. */
import type { NamedFile } from "../../named-file.js";
import type { Cloud } from "./drawn-cloud.js";

export type SyntheticKind = "elliptical" | "independent" | "curved";

export type PairSource =
  | {
      readonly kind: "wavelets";
      readonly picture: NamedFile;
      /** Index from 0 to 3. */
      readonly orientation: number;
      /** In pixels. */
      readonly separation: number;
      readonly count: number;
      readonly seed: string;
    }
  | { readonly kind: SyntheticKind; readonly count: number; readonly seed: string }
  | { readonly kind: "drawn"; readonly points: Cloud; readonly seed: string }
  | { readonly kind: "csv"; readonly table: NamedFile; readonly seed: string };

/** Returns the same text for the same pairs. */
export function keyOf(source: PairSource): string {
  return JSON.stringify(source, (name, value: unknown) => (name === "file" ? undefined : value));
}
