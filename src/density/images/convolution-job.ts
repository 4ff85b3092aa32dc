/** Jobs for workers that convolve a band of rows, or compute the gradients of some taps. */
import type { FloatArray } from "../../kernels/kernels.js";
import { type Job, jobOf } from "../../parallel/job.js";
import {
  type Filters,
  type TapGradients,
  type TapRange,
  applyWithin,
  gradientsWithin,
} from "../../transforms/convolutions/products.js";
import type { FieldBatch } from "../../transforms/field.js";

/** Convolves fields whose edges are padded. */
export const convolutionJob: Job<Filters, FieldBatch, FloatArray> = jobOf(
  "convolution",
  (kernels, filters, x) => {
    const result = applyWithin(kernels, filters, x).values;
    return { result, transfer: [result.buffer as ArrayBuffer] };
  },
);

interface TapShared {
  readonly x: FieldBatch;
  readonly upstream: FloatArray;
  readonly wantsInput: boolean;
}

/** Computes gradients of a convolution by the weights of some taps, and their part of ∂L/∂x. */
export const tapJob: Job<TapShared, TapRange, TapGradients> = jobOf(
  "taps",
  (kernels, { x, upstream, wantsInput }, range) => {
    const result = gradientsWithin(kernels, range, x, upstream, wantsInput);
    const arrays = result.x ? [result.weights, result.x] : [result.weights];
    return { result, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
  },
);
