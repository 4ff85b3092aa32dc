/** The picture of `gaussianize inspect`: filters, and the weights γ with which their responses are pooled. */
import {
  type AnyModel,
  GaussianizeError,
  type GreyImage,
  type ImageModel,
  type Model,
  filtersOf,
  filtersOnPatches,
  isImageModel,
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

export function pictureOf(model: AnyModel, path: string): ModelPicture {
  const isOfImages = isImageModel(model);
  const stages = isOfImages ? model.transform.stages : stagesOf(model.transform);
  const layers = stages.filter((stage) => stage.kind === "gdn");
  // Filters of the layers above are not on pixels, but on what the layers below made of them.
  const parts: { readonly image: GreyImage; readonly name: string }[] = [];
  const filters = isOfImages ? filtersOfImages(model) : filtersOfPatches(model);
  if (filters) {
    const { count, width, height, values } = filters;
    const columns = Math.ceil(Math.sqrt(count));
    const zoom = Math.max(1, Math.floor(side / (columns * (width + 1))));
    const image = patchMosaic(values, { size: width, height, columns, zoom });
    const size = isOfImages ? ` of ${width}×${height} pixels` : "";
    parts.push({ image, name: `${count} filters${size}` });
  }
  if (layers.length > 0) {
    const [layer] = layers;
    const n = layer.dimension;
    const image = matrixImage(pooledWeights(layer), n, Math.max(1, Math.floor(side / n)));
    parts.push({ image, name: `the weights γ, ${n}×${n}` });
  }
  if (parts.length === 0) {
    const what = isOfImages ? "convolutions" : "filters of square patches";
    throw new GaussianizeError(
      `There is nothing to draw: ${path} has neither ${what} nor weights γ.`,
    );
  }
  const image = sideBySide(parts.map((part) => part.image));
  const both = parts.length > 1 ? "both " : "";
  const ofFirst = layers.length > 1 ? `, ${both}of the first of ${layers.length} layers` : "";
  return { image, shows: parts.map(({ name }) => name).join(", and ") + ofFirst };
}

interface DrawnFilters {
  readonly count: number;
  readonly width: number;
  readonly height: number;
  readonly values: ArrayLike<number>;
}

function filtersOfPatches(model: Model): DrawnFilters | undefined {
  const layout = readingOf(model)?.layout;
  const filters = stagesOf(model.transform).find((stage) => "H" in stage && stage.H !== null);
  if (!layout || !filters || !("H" in filters) || !filters.H) return undefined;
  const { size } = layout;
  const values = filtersOnPatches(filters.H, layout);
  return { count: model.transform.dimension, width: size, height: size, values };
}

/** Those of the first convolution, on the preprocessed pixels. */
function filtersOfImages({ transform }: ImageModel): DrawnFilters | undefined {
  const first = transform.stages.find((stage) => stage.kind === "convolution");
  if (!first) return undefined;
  const { width, height, filters } = filtersOf(first);
  return { count: first.maps, width, height, values: filters };
}
