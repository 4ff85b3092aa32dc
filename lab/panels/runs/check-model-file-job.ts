/** Job: whether a dropped file is a model, before it takes the place of the one that is shown. */
import type { LabJob, Perform } from "../../compute/job.js";
import { readAnyModelFile } from "../../compute/model-file.js";

/** Fails where it is none. */
export type CheckModelFile = LabJob<{ readonly file: File }, null>;

export const checkModelFile: Perform<CheckModelFile> = async ({ file }) => {
  await readAnyModelFile(file, file.name);
  return null;
};
