/** The picture of `gaussianize inspect`: filters, and the weights γ with which their responses are pooled. */
import {
  GaussianizeError,
  type GreyImage,
  type Model,
  filtersOnPatches,
  matrixImage,
  patchMosaic,
  pooledWeights,
  readingOf,
  sideBySide,
  stagesOf,
} from "../src/index.js";

/** About as many pixels on a side as fit a screen. */
const side = 576;

export interface ModelPicture {
  readonly image: GreyImage;
  /** What is to be seen in it, from left to right. */
  readonly shows: string;
}

export function pictureOf(model: Model, path: string): ModelPicture {
  const stages = stagesOf(model.transform);
  const n = model.transform.dimension;
  const layers = stages.filter((stage) => stage.kind === "gdn");
  // Filters of the layers above are not on pixels, but on what the layers below made of them.
  const ofFirst = layers.length > 1 ? ` of the first of ${layers.length} layers` : "";
  const parts: { readonly image: GreyImage; readonly name: string }[] = [];
  const layout = readingOf(model)?.layout;
  const filters = stages.find((stage) => "H" in stage && stage.H !== null);
  if (layout && filters && "H" in filters && filters.H) {
    const { size } = layout;
    const columns = Math.ceil(Math.sqrt(n));
    const zoom = Math.max(1, Math.floor(side / (columns * (size + 1))));
    const image = patchMosaic(filtersOnPatches(filters.H, layout), { size, columns, zoom });
    parts.push({ image, name: `${n} filters${ofFirst}` });
  }
  if (layers.length > 0) {
    const [layer] = layers;
    const image = matrixImage(pooledWeights(layer), n, Math.max(1, Math.floor(side / n)));
    parts.push({ image, name: `the weights γ, ${n}×${n}` });
  }
  if (parts.length === 0) {
    throw new GaussianizeError(
      `There is nothing to draw: ${path} has neither filters of square patches nor weights γ.`,
    );
  }
  const image = sideBySide(parts.map((part) => part.image));
  return { image, shows: parts.map(({ name }) => name).join(", and ") };
}
