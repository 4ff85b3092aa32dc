/** Job: draws the receptive fields of the second stage of a model of whole images. */
import {
  gainsOn,
  receptiveFieldSize,
  receptiveFields,
} from "../../../src/evaluation/receptive-fields.js";
import { type FilterMosaic, filterMosaic } from "../../compute/filter-mosaic.js";
import type { Job } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import { type ModelSource, titleOf } from "./model-source.js";
import { openImageModel, openMiddle } from "./open-sources.js";

export interface ViewedFields extends FilterMosaic {
  /** Title of the model. */
  readonly title: string;
  /** Whether greys show square roots of weights. */
  readonly hasRoots: boolean;
  readonly count: number;
  /** Size of a field in pixels of the picture. */
  readonly width: number;
  readonly height: number;
}

/** Side of the part of the picture for the gains, in pixels. */
const sideOfGains = 512;
/** Largest width of the mosaic in pixels: larger fields are shrunk. */
const mostPixels = 800;
const millisecondsBetweenReports = 100;

/** Reports the fraction done. */
export const viewReceptiveFields: Job<
  { readonly model: ModelSource; readonly picture: NamedFile; readonly hasRoots: boolean },
  ViewedFields,
  number
> = async ({ model: source, picture, hasRoots }, { runner, signal, report }) => {
  const opened = await openImageModel(source);
  const { transform } = opened.model;
  const { image } = await openMiddle(picture, opened, sideOfGains);
  const gains = await gainsOn(runner, transform, image, signal);
  let last = performance.now();
  const { width, height } = receptiveFieldSize(transform);
  const shrink = shrinkFor(transform.stride, Math.max(width, height));
  const fields = await receptiveFields(transform, gains, {
    shrink,
    beforeFilter: async (k, count) => {
      if (performance.now() - last < millisecondsBetweenReports) return;
      report(k / count);
      // Lets a cancel in.
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
      last = performance.now();
    },
  });
  const { count } = fields;
  const order = Array.from({ length: count }, (_, k) => k);
  const mosaic = filterMosaic(fields, order, { hasRoots });
  return { ...mosaic, title: titleOf(source), hasRoots, count, width, height };
};

/** Returns the smallest divisor of the stride that makes a mosaic of all fields small enough. */
function shrinkFor(stride: number, side: number): number {
  for (let shrink = 1; shrink < stride; shrink++) {
    if (stride % shrink === 0 && stride * (side / shrink + 1) < mostPixels) return shrink;
  }
  return stride;
}
