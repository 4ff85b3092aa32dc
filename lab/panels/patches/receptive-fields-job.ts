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
  readonly count: number;
  /** Size of a field in pixels of the picture. */
  readonly width: number;
  readonly height: number;
}

/** Side of the part of the picture for the gains, in pixels. */
const sideOfGains = 512;
/** Largest side of a field in the mosaic: larger ones are shrunk. */
const mostPixels = 48;
const millisecondsBetweenReports = 100;

/** Reports the fraction done. */
export const viewReceptiveFields: Job<
  { readonly model: ModelSource; readonly picture: NamedFile },
  ViewedFields,
  number
> = async ({ model: source, picture }, { runner, signal, report }) => {
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
  return { ...filterMosaic(fields, order), title: titleOf(source), count, width, height };
};

/** Returns the smallest divisor of the stride that makes fields small enough. */
function shrinkFor(stride: number, side: number): number {
  for (let shrink = 1; shrink < stride; shrink++) {
    if (stride % shrink === 0 && side / shrink <= mostPixels) return shrink;
  }
  return stride;
}
