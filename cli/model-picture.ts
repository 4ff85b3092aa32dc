/** The picture of `gaussianize inspect`: filters, and the weights γ with which their responses are pooled. */
import {
  GaussianizeError,
  type GreyImage,
  type Model,
  matrixImage,
  patchMosaic,
  pooledWeights,
  sideBySide,
  stagesOf,
} from "../src/index.js";

/** About as many pixels on a side as fit a screen. */
const side = 512;

export function pictureOf({ transform, about }: Model): GreyImage {
  const stages = stagesOf(transform);
  const n = transform.dimension;
  const pictures: GreyImage[] = [];
  const filters = stages.find((stage) => "H" in stage && stage.H !== null);
  const { patch } = about;
  if (filters && "H" in filters && filters.H && patch && patch.width * patch.height === n) {
    const columns = Math.ceil(Math.sqrt(n));
    const zoom = Math.max(1, Math.floor(side / (columns * (patch.width + 1))));
    pictures.push(patchMosaic(filters.H, { size: patch.width, columns, zoom }));
  }
  const layer = stages.find((stage) => stage.kind === "gdn");
  if (layer) {
    pictures.push(matrixImage(pooledWeights(layer), n, Math.max(1, Math.floor(side / n))));
  }
  if (pictures.length > 0) return sideBySide(pictures);
  throw new GaussianizeError(
    "There is nothing to draw: the model has neither filters of square patches nor weights γ.",
  );
}
