/** The interior of a field: convolutions join opposite edges, so responses near them mix both. */
import { expected } from "../../errors.js";
import { type Field, requireField } from "../../transforms/field.js";
import {
  type ImageCascade,
  isConvolution,
  requireImageCascade,
} from "../../transforms/image-cascade.js";

/** Number of locations to remove at each edge. */
export interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The margins in which the last responses of a cascade reach over an edge. */
export function edgeMargins(cascade: ImageCascade): Margins {
  const reach = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const { taps } of requireImageCascade(cascade).stages.filter(isConvolution)) {
    reach.left -= taps.left;
    reach.top -= taps.top;
    reach.right += taps.left + taps.width - 1;
    reach.bottom += taps.top + taps.height - 1;
  }
  const { left, right, top, bottom } = reach;
  // Taps on one side only reach over that edge only.
  return {
    left: Math.max(0, left),
    right: Math.max(0, right),
    top: Math.max(0, top),
    bottom: Math.max(0, bottom),
  };
}

/** Removes the margins of a field; throws if no location is left. */
export function interiorOf(field: Field, { left, right, top, bottom }: Margins): Field {
  requireField(field, "the field");
  for (const [side, value] of Object.entries({ left, right, top, bottom })) {
    if (Number.isInteger(value) && value >= 0) continue;
    throw expected(`the margin at the ${side}`, "be an integer of at least 0", value);
  }
  const [width, height] = [field.width - left - right, field.height - top - bottom];
  if (width < 1 || height < 1) {
    const margins = `${left} + ${right} columns and ${top} + ${bottom} rows`;
    throw expected(
      `a field of ${field.width}×${field.height}`,
      `be larger than its margins`,
      margins,
    );
  }
  const { maps } = field;
  const values = field.values.slice(0, width * height * maps);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * field.width + left) * maps;
    values.set(field.values.subarray(from, from + width * maps), row * width * maps);
  }
  return { width, height, maps, values };
}

/** Returns one map of a field, as the pixels of a picture or the coefficients of a band. */
export function mapOf(
  field: Field,
  map: number,
): { width: number; height: number; values: Float64Array } {
  const { width, height, maps } = field;
  if (!Number.isInteger(map) || map < 0 || map >= maps) {
    throw expected("the map", `be an integer from 0 to ${maps - 1}`, map);
  }
  const values = Float64Array.from(
    { length: width * height },
    (_, p) => field.values[p * maps + map],
  );
  return { width, height, values };
}
