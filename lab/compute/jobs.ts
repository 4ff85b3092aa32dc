/** Every job of the lab: its types for the page, its function for the worker. */
import type { Perform } from "./job.js";
import { type DescribeMachine, describeMachine } from "./describe-machine.js";

export interface LabJobs {
  machine: DescribeMachine;
}

export const performers: { readonly [N in keyof LabJobs]: Perform<LabJobs[N]> } = {
  machine: describeMachine,
};
