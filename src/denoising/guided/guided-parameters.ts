/**
 * Parameters of a class of patches in one array: H, M, G, γ, α, β and ω. Densities without means
 * have M = 0 and ω = 1, which stay as they are.
 */
import {
  type ExpertField,
  type GuidedExpert,
  type GuidedSettings,
  expertFields,
  expertLength,
  expertOf,
  limits,
} from "./guided-density.js";

const order: readonly ExpertField[] = ["H", "M", "G", "gamma", "alpha", "beta", "omega"];

type CellSettings = Pick<GuidedSettings, "size" | "rings">;

/** Returns the array in which each parameter begins, and their total. */
function placesOf(settings: CellSettings) {
  let total = 0;
  const places = order.map((field) => {
    const first = total;
    total += expertLength(field, settings);
    return { field, first, end: total };
  });
  return { places, total };
}

export function parametersOf(expert: GuidedExpert, settings: CellSettings): Float32Array {
  const { places, total } = placesOf(settings);
  const parameters = new Float32Array(total);
  for (const { field, first, end } of places) {
    const values = expert[field];
    if (values) parameters.set(values, first);
    else if (field === "omega") parameters.fill(1, first, end);
  }
  return parameters;
}

export function expertOfParameters(parameters: Float32Array, settings: CellSettings): GuidedExpert {
  const { places } = placesOf(settings);
  return expertOf(settings, (field) => {
    const { first, end } = places[order.indexOf(field)];
    return parameters.slice(first, end);
  });
}

/** Moves parameters against their directions, within their limits. */
export function moveParameters(
  parameters: Float32Array,
  directions: Float64Array,
  rate: number,
  settings: CellSettings,
): void {
  const moving = expertFields(settings);
  for (const { field, first, end } of placesOf(settings).places) {
    if (!moving.includes(field)) continue;
    const [least, most] = limits[field];
    for (let k = first; k < end; k++) {
      const moved = parameters[k] - rate * directions[k];
      parameters[k] = moved < least ? least : moved > most ? most : moved;
    }
  }
}
