/** All jobs of the lab. The page takes its types from this table. */
import { denoiseSubject, prepareDenoising } from "../panels/denoise/denoise-jobs.js";
import { fitPairs, viewPairs } from "../panels/pairs/pairs-jobs.js";
import { sampleOnSquare } from "../panels/patches/square-job.js";
import { viewFilters } from "../panels/patches/filters-job.js";
import { measureHistograms } from "../panels/patches/histograms-job.js";
import { mapPicture } from "../panels/patches/map-job.js";
import { cutImage, drawImage } from "../panels/patches/image-samples-job.js";
import { viewPool } from "../panels/patches/pool-job.js";
import { viewReceptiveFields } from "../panels/patches/receptive-fields-job.js";
import { cutPatches, drawSamples, walkBetween } from "../panels/patches/samples-job.js";
import { showModel } from "../panels/runs/show-model-job.js";
import { keepTraining, train } from "../panels/train/train-job.js";
import { checkFile } from "./check-file-job.js";
import type { Job } from "./job.js";

/** Number of workers, for the footer. */
const machine: Job<null, { readonly workers: number }> = (_, { runner }) =>
  Promise.resolve({ workers: runner.size });

export const performers = {
  machine,
  checkFile,
  showModel,
  "prepare denoising": prepareDenoising,
  denoise: denoiseSubject,
  viewPairs,
  fitPairs,
  viewFilters,
  viewPool,
  viewReceptiveFields,
  drawImage,
  cutImage,
  drawSamples,
  cutPatches,
  walkBetween,
  sampleOnSquare,
  measureHistograms,
  mapPicture,
  train,
  keepTraining,
};
