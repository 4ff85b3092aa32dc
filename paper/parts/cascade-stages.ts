/** The stages of a cascade CICA–GDN–CICA–GDN. */
import type { ImageCascade } from "../../src/index.js";

export const cascadeStages = ["first CICA", "first GDN", "second CICA", "second GDN"] as const;
export type CascadeStage = (typeof cascadeStages)[number];

/** Where the stages of these names are among all of a cascade, preprocessing included. */
export function placesOfStages({ stages }: ImageCascade): readonly number[] {
  const places = stages.flatMap(({ kind }, k) =>
    kind === "convolution" || kind === "gdn" ? [k] : [],
  );
  const kinds = places.map((k) => stages[k].kind).join();
  if (kinds === "convolution,gdn,convolution,gdn") return places;
  throw new Error(`a cascade of ${kinds} is not one of two stages`);
}
