/** Opens the models of `gaussianize evaluate`, and checks that they can be compared. */
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { UsageError } from "../../src/errors.js";
import { significant } from "../../src/numbers/format-number.js";
import type { ImageReading } from "../../src/patches/image-reading.js";
import type { NodeDensity } from "../../node/open-density.js";
import { openModel } from "../model-files.js";
import { hasEnding } from "../options.js";

export interface NamedDensity {
  readonly path: string;
  readonly density: NodeDensity;
  readonly reading: ImageReading;
}

/** The first argument and all others that end in .safetensors are models; the rest are images. */
export function separateModels(
  first: string,
  others: readonly string[],
): { readonly paths: readonly string[]; readonly patterns: readonly string[] } {
  const isModel = (word: string): boolean => hasEnding(word, ".safetensors");
  const patterns = others.filter((word) => !isModel(word));
  if (patterns.length === 0) {
    throw new UsageError(
      `No images to evaluate: the first argument, ${first}, and names that end in .safetensors are models.`,
    );
  }
  return { paths: [first, ...others.filter(isModel)], patterns };
}

export async function openModels(
  paths: readonly string[],
  options: { readonly workers?: number },
): Promise<readonly NamedDensity[]> {
  const models: NamedDensity[] = [];
  for (const path of paths) {
    const density = await openModel(path, options);
    models.push({ path, density, reading: requireReading(density.model, path) });
  }
  for (const other of models.slice(1)) requireComparable(models[0], other);
  return models;
}

/** Rejects densities of different values, whose likelihoods cannot be compared. */
function requireComparable(first: NamedDensity, second: NamedDensity): void {
  const [a, b] = [first.reading, second.reading];
  const [ofA, ofB] = [valuesText(a), valuesText(b)];
  const isSame = ofA === ofB && (!a.layout.removeMean || a.layout.size === b.layout.size);
  if (isSame) return;
  const sizes = (values: string, { layout: { size } }: ImageReading): string =>
    a.layout.removeMean && b.layout.removeMean ? `${values} of ${size}×${size} patches` : values;
  throw new UsageError(
    `${first.path} and ${second.path} cannot be compared: they are densities of different values (${sizes(ofA, a)}; ${sizes(ofB, b)}).`,
  );
}

/** Names the values of a density: "grey values, dequantised". */
function valuesText({ luminance, dequantize, noiseLevel = 0, layout }: ImageReading): string {
  return [
    luminance === "grey" ? "grey values" : "linear luminance",
    dequantize ? "dequantised" : "not dequantised",
    ...(noiseLevel > 0 ? [`with noise of σ = ${significant(255 * noiseLevel)}`] : []),
    ...(layout.removeMean ? ["mean removed"] : []),
  ].join(", ");
}

/** Returns whether all models get the same patches, or the same parts of whole images. */
export function haveSamePieces([first, ...others]: readonly NamedDensity[]): boolean {
  return others.every(
    ({ density, reading }) =>
      density.kind === first.density.kind && reading.layout.size === first.reading.layout.size,
  );
}
