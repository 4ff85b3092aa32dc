/** Every job of the lab: its types for the page, its function for the worker. */
import type { Perform } from "./job.js";
import {
  type CheckPicture,
  type DenoiseSubject,
  type PrepareDenoising,
  checkPicture,
  denoiseSubject,
  prepareDenoising,
} from "../panels/denoise/denoise-jobs.js";
import { type DescribeMachine, describeMachine } from "./describe-machine.js";
import { type FitPairs, fitPairs } from "../panels/pairs/fit-pairs-job.js";
import { type ViewPairs, viewPairs } from "../panels/pairs/view-pairs-job.js";
import {
  type CheckModel,
  type CheckPatchesPicture,
  checkModel,
  checkPatchesPicture,
} from "../panels/patches/check-file-job.js";
import { type ViewFilters, viewFilters } from "../panels/patches/filters-job.js";
import { type MeasureHistograms, measureHistograms } from "../panels/patches/histograms-job.js";
import { type MapPicture, mapPicture } from "../panels/patches/map-job.js";
import { type ViewPool, viewPool } from "../panels/patches/pool-job.js";
import {
  type CutPatches,
  type DrawSamples,
  cutPatches,
  drawSamples,
} from "../panels/patches/samples-job.js";
import { type WalkBetween, walkBetween } from "../panels/patches/walk-job.js";
import { type CheckModelFile, checkModelFile } from "../panels/runs/check-model-file-job.js";
import { type ReadMetrics, readMetrics } from "../panels/runs/read-metrics-job.js";
import { type ShowModel, showModel } from "../panels/runs/show-model-job.js";
import { type LookAtPicture, lookAtPicture } from "../panels/train/look-at-picture-job.js";
import { type OpenFile, openFile } from "../panels/train/open-file-job.js";
import { type KeepTraining, type Train, keepTraining, train } from "../panels/train/train-job.js";

export interface LabJobs {
  machine: DescribeMachine;
  readMetrics: ReadMetrics;
  checkModelFile: CheckModelFile;
  showModel: ShowModel;
  "check picture": CheckPicture;
  "prepare denoising": PrepareDenoising;
  denoise: DenoiseSubject;
  viewPairs: ViewPairs;
  fitPairs: FitPairs;
  checkModel: CheckModel;
  checkPatchesPicture: CheckPatchesPicture;
  viewFilters: ViewFilters;
  viewPool: ViewPool;
  drawSamples: DrawSamples;
  cutPatches: CutPatches;
  walkBetween: WalkBetween;
  measureHistograms: MeasureHistograms;
  mapPicture: MapPicture;
  lookAtPicture: LookAtPicture;
  openFile: OpenFile;
  train: Train;
  keepTraining: KeepTraining;
}

export const performers: { readonly [N in keyof LabJobs]: Perform<LabJobs[N]> } = {
  machine: describeMachine,
  readMetrics,
  checkModelFile,
  showModel,
  "check picture": checkPicture,
  "prepare denoising": prepareDenoising,
  denoise: denoiseSubject,
  viewPairs,
  fitPairs,
  checkModel,
  checkPatchesPicture,
  viewFilters,
  viewPool,
  drawSamples,
  cutPatches,
  walkBetween,
  measureHistograms,
  mapPicture,
  lookAtPicture,
  openFile,
  train,
  keepTraining,
};
