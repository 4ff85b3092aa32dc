/** What becomes of files that are dropped together. */
import { isModelFile } from "../../is-model-file.js";
import type { CheckpointFiles } from "./train-job.js";

export interface SortedFiles {
  /** A model or a checkpoint. */
  readonly toOpen: CheckpointFiles | null;
  /** All others: whether they are pictures is found out by whoever reads them. */
  readonly pictures: readonly File[];
  /** Sentences about those that nothing becomes of. */
  readonly leftOut: readonly string[];
}

export function sortedFiles(files: readonly File[]): SortedFiles {
  const models = files.filter(isModelFile);
  const config = files.find(({ name }) => name === "config.json") ?? null;
  return {
    toOpen: models.length > 0 ? { file: models[0], config } : null,
    pictures: files.filter((other) => !models.includes(other) && other !== config),
    leftOut: [
      ...(config && models.length === 0
        ? ["config.json belongs to the checkpoint of a run: drop both together."]
        : []),
      ...models
        .slice(1)
        .map(({ name }) => `One model or checkpoint is opened at a time: ${name} was left out.`),
    ],
  };
}
