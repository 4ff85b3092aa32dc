/** Every job of the lab: its types for the page, its function for the worker. */
import type { Perform } from "./job.js";
import {
  type DenoiseSubject,
  type PrepareDenoising,
  denoiseSubject,
  prepareDenoising,
} from "../panels/denoise/denoise-jobs.js";
import { type DescribeMachine, describeMachine } from "./describe-machine.js";
import { type FitPairs, fitPairs } from "../panels/pairs/fit-pairs-job.js";
import { type ViewPairs, viewPairs } from "../panels/pairs/view-pairs-job.js";
import { type ReadMetrics, readMetrics } from "../panels/runs/read-metrics-job.js";
import { type ShowModel, showModel } from "../panels/runs/show-model-job.js";
import { type LookAtPicture, lookAtPicture } from "../panels/train/look-at-picture-job.js";
import { type OpenFile, openFile } from "../panels/train/open-file-job.js";
import { type KeepTraining, type Train, keepTraining, train } from "../panels/train/train-job.js";

export interface LabJobs {
  machine: DescribeMachine;
  readMetrics: ReadMetrics;
  showModel: ShowModel;
  "prepare denoising": PrepareDenoising;
  denoise: DenoiseSubject;
  viewPairs: ViewPairs;
  fitPairs: FitPairs;
  lookAtPicture: LookAtPicture;
  openFile: OpenFile;
  train: Train;
  keepTraining: KeepTraining;
}

export const performers: { readonly [N in keyof LabJobs]: Perform<LabJobs[N]> } = {
  machine: describeMachine,
  readMetrics,
  showModel,
  "prepare denoising": prepareDenoising,
  denoise: denoiseSubject,
  viewPairs,
  fitPairs,
  lookAtPicture,
  openFile,
  train,
  keepTraining,
};
