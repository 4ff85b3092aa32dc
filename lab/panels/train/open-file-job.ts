/** Job: what a dropped .safetensors file is, a model or the checkpoint of a fit, and what it says of itself. */
import {
  type AnyModel,
  type JsonValue,
  describeCheckpoint,
  isImageModel,
  stagesOf,
} from "../../../src/index.js";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import type { LabJob, Perform } from "../../compute/job.js";
import { isCheckpointFile, readAnyModelFile } from "../../compute/model-file.js";
import { type CheckpointFiles, openCheckpoint } from "./train-job.js";

export interface OpenedModel {
  readonly kind: "model";
  readonly name: string;
  /** What, and how much. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Whether it has filters and samples that can be shown. */
  readonly isOfPatches: boolean;
}

export interface OpenedCheckpoint {
  readonly kind: "checkpoint";
  readonly name: string;
  /** What it was asked for. */
  readonly terms: FitTerms;
  /** Of its steps, how many are done. */
  readonly step: number;
}

export type OpenFile = LabJob<CheckpointFiles, OpenedModel | OpenedCheckpoint>;

export const openFile: Perform<OpenFile> = async (input) => {
  const { file } = input;
  const { name } = file;
  if (await isCheckpointFile(file)) {
    const { bytes, run } = await openCheckpoint(input);
    return {
      kind: "checkpoint",
      name,
      terms: run.terms,
      step: describeCheckpoint(bytes, name).step,
    };
  }
  const model = await readAnyModelFile(file, name);
  return { kind: "model", name, facts: factsOf(model), isOfPatches: !isImageModel(model) };
};

function factsOf(model: AnyModel): OpenedModel["facts"] {
  const { about, transform } = model;
  const { name, patch, training, data, figures, seed } = about;
  const stages = stagesOf(transform).map(({ kind }) => kind);
  const facts: (readonly [string, string | undefined])[] = [
    ["Name", name],
    ["Patch", patch && `${patch.width}×${patch.height} pixels`],
    ["Stages", stages.join(", ")],
    ["Images", data?.images === undefined ? undefined : textOf(data.images)],
    ["Steps", textOf(training?.steps)],
    ["Best after", textOf(training?.bestStep)],
    ["Seed", textOf(seed)],
    ["Log-likelihood, held out", inNats(figures?.heldOutLogLikelihoodInNats)],
    ["ΔJ per pixel, held out", inNats(figures?.negentropyDifferenceInNatsPerPixel)],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "number" || typeof value === "string" ? String(value) : undefined;
}

function inNats(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value.toFixed(4).replace("-", "−")} nats`;
}
