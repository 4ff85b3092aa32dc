/** Every job of the lab: its types for the page, its function for the worker. */
import type { Perform } from "./job.js";
import {
  type DenoiseSubject,
  type PrepareDenoising,
  denoiseSubject,
  prepareDenoising,
} from "../panels/denoise/denoise-jobs.js";
import { type DescribeMachine, describeMachine } from "./describe-machine.js";

export interface LabJobs {
  machine: DescribeMachine;
  "prepare denoising": PrepareDenoising;
  denoise: DenoiseSubject;
}

export const performers: { readonly [N in keyof LabJobs]: Perform<LabJobs[N]> } = {
  machine: describeMachine,
  "prepare denoising": prepareDenoising,
  denoise: denoiseSubject,
};
