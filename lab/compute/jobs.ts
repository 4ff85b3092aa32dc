/** Every job of the lab: its types for the page, its function for the worker. */
import type { Perform } from "./job.js";
import { type DescribeMachine, describeMachine } from "./describe-machine.js";
import { type FitPairs, fitPairs } from "../panels/pairs/fit-pairs-job.js";
import { type ViewPairs, viewPairs } from "../panels/pairs/view-pairs-job.js";

export interface LabJobs {
  machine: DescribeMachine;
  viewPairs: ViewPairs;
  fitPairs: FitPairs;
}

export const performers: { readonly [N in keyof LabJobs]: Perform<LabJobs[N]> } = {
  machine: describeMachine,
  viewPairs,
  fitPairs,
};
