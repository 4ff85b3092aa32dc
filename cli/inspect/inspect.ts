/** The work of `gaussianize inspect`: describes a model file or a checkpoint. */
import type { Density } from "../../src/density/density.js";
import { decodeModel } from "../../src/density/model-files/model-file.js";
import { isMixtureModel, noSingleTransform } from "../../src/density/model-files/model.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import { filtersOnPixels } from "../../src/figures/filters-on-pixels.js";
import { matrixImage, patchMosaic, sideBySide } from "../../src/figures/mosaics.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { pooledWeights } from "../../src/transforms/gdn-structures.js";
import { describeCheckpoint, isCheckpoint } from "../../src/training/checkpoint-file.js";
import { openDensity } from "../../node/open-density.js";
import { writePng } from "../../node/figures.js";
import { readModelBytes } from "../../node/model-files.js";
import type { Effects } from "../effects.js";
import { requireOutput } from "../model-files.js";
import { wrapped } from "../text.js";
import { checkpointReport, checkpointText } from "./checkpoint-summary.js";
import { aboutText, summarize, summaryText, titleOf } from "./model-summary.js";

export interface InspectOptions {
  readonly output?: string;
  readonly json?: true;
}

export async function inspect(
  path: string,
  options: InspectOptions,
  effects: Effects,
): Promise<void> {
  const { output } = options;
  await requireOutput(output, path);
  const bytes = await readModelBytes(path);
  if (isCheckpoint(bytes)) {
    await inspectCheckpoint(bytes, path, options, effects);
    return;
  }
  await using density = await openDensity(decodeModel(bytes, path), { workers: 0 });
  const { model } = density;
  // Before anything is printed, since there may be nothing to draw.
  const picture = output === undefined ? null : pictureOf(density, path);
  const summary = summarize(density);
  const findings = await verifyWithoutData(density);
  if (options.json) {
    const everything = { model: path, ...summary, ...findings, about: model.about };
    effects.stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
  } else {
    const { proven, computed = [] } = findings;
    const sentences = [...proven, ...computed].map((sentence) => wrapped(sentence)).join("\n");
    const paragraphs = [titleOf(path, model), summaryText(summary), sentences, aboutText(model)];
    effects.stdout.write(`${paragraphs.filter((text) => text !== "").join("\n\n")}\n`);
  }
  if (output !== undefined && picture) {
    await writePng(output, picture.image);
    effects.stderr.write(`Wrote ${output}: ${picture.shows}.\n`);
  }
}

async function inspectCheckpoint(
  bytes: Uint8Array,
  path: string,
  { output, json }: InspectOptions,
  effects: Effects,
): Promise<void> {
  const report = await checkpointReport(describeCheckpoint(bytes, path), path);
  if (output !== undefined) {
    const other = report.model === null ? "" : `; draw ${report.model} instead`;
    throw new UsageError(`--output draws models, but ${path} is a checkpoint of a fit${other}.`);
  }
  effects.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : checkpointText(report));
}

/** Locations of an image: the singular values of convolutions depend on it a little. */
const grid = { width: 16, height: 16 };

/** Returns what is proven; for whole images also what a grid shows. */
async function verifyWithoutData(density: Density) {
  const found = await density.verify(null, { grid });
  const { certificate, certified, cycleMean, invertible, proven } = found;
  const proof = { certificate, certified, cycleMean, invertible, proven };
  if (!("smallestSingularValue" in found)) return { ...proof, computed: undefined };
  const { smallestSingularValue, observed: computed } = found;
  return { ...proof, smallestSingularValue, grid, computed };
}

/** Side of each part of the picture in pixels, about. */
const side = 576;

/** Draws filters and, beside them, the weights γ with which their responses are pooled. */
function pictureOf({ model, kind }: Density, path: string) {
  if (isMixtureModel(model)) throw noSingleTransform("a picture shows the filters of one", path);
  const layers = stagesOf(model.transform).filter((stage) => stage.kind === "gdn");
  const parts: { readonly image: GreyImage; readonly name: string }[] = [];
  const filters = filtersOnPixels(model);
  if (filters) {
    const { count, width, height, values } = filters;
    const columns = Math.ceil(Math.sqrt(count));
    const zoom = Math.max(1, Math.floor(side / (columns * (width + 1))));
    const image = patchMosaic(values, { size: width, height, columns, zoom });
    const size = kind === "images" ? ` of ${width}×${height} pixels` : "";
    parts.push({ image, name: `${count} filters${size}` });
  }
  if (layers.length > 0) {
    const [layer] = layers;
    const n = layer.dimension;
    const image = matrixImage(pooledWeights(layer), n, Math.max(1, Math.floor(side / n)));
    parts.push({ image, name: `the weights γ, ${n}×${n}` });
  }
  if (parts.length === 0) {
    const what = kind === "images" ? "convolutions" : "filters of square patches";
    throw new GaussianizeError(
      "invalid-argument",
      `Nothing to draw: ${path} has neither ${what} nor weights γ.`,
    );
  }
  const image = sideBySide(parts.map((part) => part.image));
  const both = parts.length > 1 ? "both " : "";
  const ofFirst = layers.length > 1 ? `, ${both}of the first of ${layers.length} layers` : "";
  return { image, shows: parts.map(({ name }) => name).join(", and ") + ofFirst };
}
