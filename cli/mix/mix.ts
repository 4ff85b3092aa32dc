/** The work of `gaussianize mix`: makes a mixture of model files. */
import { basename } from "node:path";
import { isSymmetric, leavesOf } from "../../src/density/mixtures/leaves.js";
import {
  type AnyMixture,
  type MixtureComponent,
  mixture,
  symmetricMixture,
} from "../../src/density/mixtures/mixture.js";
import type { JsonObject } from "../../src/density/model-files/json.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import {
  type AnyModel,
  type MixtureModel,
  isImageModel,
} from "../../src/density/model-files/model.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import { readModel, writeModel } from "../../node/model-files.js";
import type { Effects } from "../effects.js";
import { requireOutput } from "../model-files.js";
import { counted } from "../text.js";
import { type NamedModel, commonPreprocessing, requireAgreement } from "./agreement.js";

export interface MixOptions {
  readonly weights?: readonly number[];
  readonly symmetric?: true;
  readonly output?: string;
  readonly json?: true;
}

export async function mix(
  paths: readonly string[],
  options: MixOptions,
  { stdout, stderr }: Effects,
): Promise<void> {
  const output = checkedOutput(paths, options);
  for (const path of paths) await requireOutput(output, path);
  const models: NamedModel[] = [];
  for (const path of paths) models.push(ofPatches(path, await readModel(path)));
  const twice = models.find(({ model }) => isSymmetric(model.transform));
  if (options.symmetric && twice) {
    throw new UsageError(`${twice.path} is symmetric already: mix it without --symmetric`);
  }
  requireAgreement(models);
  const weights = shares(models.length, options.weights);
  const made = mixtureOf(models, weights, options);
  await writeModel(output, made);
  const components = models.map(({ path }, k) => ({ model: path, weight: weights[k] }));
  const symmetric = options.symmetric ?? false;
  const { dimension } = made.transform;
  const densities = leavesOf(made.transform).length;
  if (options.json) {
    const everything = { model: output, dimension, symmetric, components, densities };
    stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
  }
  const poses = symmetric ? " in 8 poses" : "";
  stderr.write(`Wrote ${output}: ${counted(models.length, "component")}${poses}.\n`);
}

/** Rejects contradictions; returns the output. */
function checkedOutput(
  paths: readonly string[],
  { weights, symmetric, output }: MixOptions,
): string {
  if (output === undefined) {
    throw new UsageError("Where should the mixture go? Give -o <file>.");
  }
  if (paths.length === 1 && !symmetric) {
    throw new UsageError("A mixture needs at least two models, or one with --symmetric");
  }
  if (weights && weights.length !== paths.length) {
    throw new UsageError(
      `--weights needs one weight per model: ${paths.length}; received ${weights.length}`,
    );
  }
  const least = Math.min(...shares(paths.length, weights));
  if (!(least >= leastShare)) {
    throw new UsageError(
      `--weights must each be at least 1e-12 of their sum; received ${weights?.join(" ")}`,
    );
  }
  return output;
}

function ofPatches(path: string, model: AnyModel): NamedModel {
  if (!isImageModel(model)) return { path, model };
  throw new GaussianizeError(
    "invalid-argument",
    `${path} is a model of whole images; only models of patches can be mixed.`,
  );
}

/** Smallest part of the sum of all weights. Nobody draws enough samples to see a smaller one. */
const leastShare = 1e-12;

/** Returns the weights divided by their sum, which may exceed the largest number. */
function shares(count: number, weights?: readonly number[]): readonly number[] {
  const given = weights ?? new Array<number>(count).fill(1);
  const largest = Math.max(...given);
  const scaled = given.map((value) => value / largest);
  const sum = scaled.reduce((total, value) => total + value, 0);
  return scaled.map((value) => value / sum);
}

function mixtureOf(
  models: readonly NamedModel[],
  weights: readonly number[],
  { symmetric }: MixOptions,
): MixtureModel {
  const [{ path, model }] = models;
  const inner: MixtureComponent =
    models.length === 1
      ? model.transform
      : mixture({ components: models.map((each) => each.model.transform), weights });
  const preprocessing = commonPreprocessing(models);
  const names = models.map(({ model: { about }, path: file }) => about.name ?? basename(file));
  const about = {
    name: `${symmetric ? "symmetric " : ""}mixture of ${names.join(" and ")}`,
    ...(model.about.patch && { patch: model.about.patch }),
    ...(preprocessing && { preprocessing }),
    components: models.map((each, k) => originOf(each, weights[k])),
  };
  if (!symmetric) return { transform: inner as AnyMixture, about };
  const { size: side, removeMean } = requireReading(model, path).layout;
  return { transform: symmetricMixture({ side, removeMean, density: inner }), about };
}

/** Returns the origin of a component: its description, without the history of its fit. */
function originOf({ path, model }: NamedModel, weight: number): JsonObject {
  const about = { ...model.about, patch: undefined, preprocessing: undefined };
  const training = model.about.training && { ...model.about.training, history: undefined };
  return { file: basename(path), weight, ...about, training };
}
