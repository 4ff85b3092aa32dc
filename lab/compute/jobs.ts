/** All jobs of the lab. The page takes its types from this table. */
import type { Job } from "./job.js";
import { lazyJob } from "./lazy-job.js";

/** Number of workers, for the footer. */
const machine: Job<null, { readonly workers: number }> = (_, { runner }) =>
  Promise.resolve({ workers: runner.size });

const ofDenoise = () => import("../panels/denoise/denoise-jobs.js");
const ofPairs = () => import("../panels/pairs/pairs-jobs.js");
const ofSamples = () => import("../panels/patches/samples-job.js");
const ofImageSamples = () => import("../panels/patches/image-samples-job.js");
const ofStoryPatches = () => import("../panels/start/patches-job.js");
const ofTraining = () => import("../panels/train/train-job.js");

export const performers = {
  machine,
  readStory: lazyJob(async () => (await import("../panels/start/responses-job.js")).readStory),
  fitCloud: lazyJob(async () => (await import("../panels/start/cloud-job.js")).fitCloud),
  movePoint: lazyJob(async () => (await import("../plane/plane-job.js")).movePoint),
  drawPatches: lazyJob(async () => (await ofStoryPatches()).drawPatches),
  walkPatches: lazyJob(async () => (await ofStoryPatches()).walkPatches),
  mapSurprise: lazyJob(async () => (await ofStoryPatches()).mapSurprise),
  removeNoise: lazyJob(async () => (await import("../panels/start/noise-job.js")).removeNoise),
  checkFile: lazyJob(async () => (await import("./check-file-job.js")).checkFile),
  showModel: lazyJob(async () => (await import("../panels/runs/show-model-job.js")).showModel),
  "prepare denoising": lazyJob(async () => (await ofDenoise()).prepareDenoising),
  denoise: lazyJob(async () => (await ofDenoise()).denoiseSubject),
  viewPairs: lazyJob(async () => (await ofPairs()).viewPairs),
  fitPairs: lazyJob(async () => (await ofPairs()).fitPairs),
  viewFilters: lazyJob(async () => (await import("../panels/patches/filters-job.js")).viewFilters),
  viewPool: lazyJob(async () => (await import("../panels/patches/pool-job.js")).viewPool),
  viewReceptiveFields: lazyJob(
    async () => (await import("../panels/patches/receptive-fields-job.js")).viewReceptiveFields,
  ),
  drawImage: lazyJob(async () => (await ofImageSamples()).drawImage),
  cutImage: lazyJob(async () => (await ofImageSamples()).cutImage),
  drawSamples: lazyJob(async () => (await ofSamples()).drawSamples),
  cutPatches: lazyJob(async () => (await ofSamples()).cutPatches),
  walkBetween: lazyJob(async () => (await ofSamples()).walkBetween),
  walkOnPlane: lazyJob(async () => (await ofSamples()).walkOnPlane),
  measureHistograms: lazyJob(
    async () => (await import("../panels/patches/histograms-job.js")).measureHistograms,
  ),
  mapPicture: lazyJob(async () => (await import("../panels/patches/map-job.js")).mapPicture),
  train: lazyJob(async () => (await ofTraining()).train),
  keepTraining: lazyJob(async () => (await ofTraining()).keepTraining),
};
