/** What computes here: said at the foot of the page. */
import type { LabJob, Perform } from "./job.js";

export type DescribeMachine = LabJob<null, { readonly workers: number }>;

export const describeMachine: Perform<DescribeMachine> = (_, { runner }) =>
  Promise.resolve({ workers: runner.size });
