/** Checks that models describe the same values, so that their densities can be mixed. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "../../src/density/model-files/json.js";
import { stagesOfMixture, transformsOf } from "../../src/density/mixtures/leaves.js";
import type { ModelAbout, PatchModel } from "../../src/density/model-files/model.js";
import { GaussianizeError, describeValue } from "../../src/errors.js";
import { stagesOf } from "../../src/transforms/cascade.js";

export interface NamedModel {
  readonly path: string;
  readonly model: PatchModel;
}

/** Values that a file without the key has. */
const defaults: Readonly<Record<string, JsonValue>> = {
  "patch.luminance": "grey",
  "patch.removeMean": false,
  "preprocessing.dequantization": "none",
  "preprocessing.removeSaturated": false,
};
/** Labels, display, and preprocessing within the transform of a model, which need not agree. */
const ownKeys: readonly string[] = [
  "patch.black",
  "patch.white",
  "preprocessing.stages",
  "preprocessing.curve",
  "preprocessing.protocol",
];

/** @throws GaussianizeError that names the first difference */
export function requireAgreement([first, ...others]: readonly NamedModel[]): void {
  const wanted = readingsOf(first.model);
  for (const { path, model } of others) {
    const found = readingsOf(model);
    const keys = [...new Set([...wanted.keys(), ...found.keys()])];
    const key = keys.find((name) => !isDeepStrictEqual(wanted.get(name), found.get(name)));
    if (key === undefined) continue;
    const [a, b] = [wanted.get(key), found.get(key)].map(describeValue);
    throw new GaussianizeError(
      "mismatch",
      `${first.path} and ${path} cannot be mixed: ${key} is ${a} in the first and ${b} in the second.`,
    );
  }
}

/** Returns everything that says which values a density is one of. */
function readingsOf({ transform, about }: PatchModel): ReadonlyMap<string, JsonValue | undefined> {
  const named = (record: JsonObject, name: string) =>
    Object.entries(record).map(([key, value]) => [`${name}.${key}`, value] as const);
  const entries = [
    ["the number of dimensions", transform.dimension] as const,
    ...named(about.patch ?? {}, "patch"),
    ...named(about.preprocessing ?? {}, "preprocessing"),
  ].filter(([key]) => !ownKeys.includes(key));
  return new Map<string, JsonValue | undefined>([...Object.entries(defaults), ...entries]);
}

/**
 * Returns what the description of a mixture says about preprocessing. First stages that all
 * transforms share remain declared, so that ΔJ stays relative to their output.
 */
export function commonPreprocessing(
  models: readonly NamedModel[],
): ModelAbout["preprocessing"] | undefined {
  const [{ model: first }] = models;
  if (!first.about.preprocessing) return undefined;
  const { stages: count = 0, curve, ...others } = first.about.preprocessing;
  const beginning = stagesOfMixture(first.transform).slice(0, count);
  const isShared = models.every(
    ({ model }) =>
      model.about.preprocessing?.stages === count &&
      transformsOf(model.transform).every(({ transform }) =>
        isDeepStrictEqual(stagesOf(transform).slice(0, count), beginning),
      ),
  );
  return isShared && count > 0
    ? { ...others, ...(curve !== undefined && { curve }), stages: count }
    : others;
}
