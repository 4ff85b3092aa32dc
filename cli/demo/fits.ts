/** The three densities of the demo, fitted to the same patches and compared on one photograph. */
import { densityOf } from "../../src/density/density-of.js";
import type { Model } from "../../src/density/model-files/model.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import type { Evaluation } from "../../src/evaluation/evaluation.js";
import { significant } from "../../src/numbers/format-number.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { fitModel } from "../../src/training/fit-model.js";
import { type ModelName, namedModel } from "../../src/transforms/model-names.js";
import { type DemoData, reading } from "./data.js";
import type { DemoProgress, Stage } from "./progress.js";

/** Number of patches of the held-out photograph for the comparison. */
export const testPatches = 20_000;

/** Learning rate of these short fits; fixed, so that documented numbers do not follow defaults. */
export const learningRate = 0.04;

export interface DemoModel {
  readonly name: ModelName;
  readonly about: string;
  /** Steps as a share of those of the GDN. */
  readonly share: number;
  /** Milliseconds per step on two cores, about, for the time left. */
  readonly cost: number;
}

/** Models from simple to general. RG needs few steps: it has two parameters beside whitening. */
export const demoModels = [
  { name: "ica-mg", about: "filters, each normalised alone", share: 1, cost: 4 },
  { name: "rg", about: "whitened, all normalised by one norm", share: 0.25, cost: 9 },
  { name: "gdn", about: "filters, normalised by each other", share: 1, cost: 10 },
] as const satisfies readonly DemoModel[];

export interface DemoFit {
  readonly title: string;
  readonly about: string;
  readonly model: Model;
  readonly steps: number;
  readonly rejectedSteps: number;
  readonly seconds: number;
  /** ΔJ of each step on its own patches. */
  readonly curve: Float64Array;
  readonly evaluation: Evaluation;
}

/** Milliseconds before the first step and after the last. */
const preparationCost = 4000;
const evaluationCost = 1000;

export function differenceOf({ evaluation }: DemoFit): number {
  return evaluation.negentropyDifferencePerDimension;
}

function stepsOf({ share }: DemoModel, steps: number): number {
  return Math.max(1, Math.round(share * steps));
}

export function fitStage(model: DemoModel, steps: number): Stage {
  const cost = preparationCost + model.cost * stepsOf(model, steps) + evaluationCost;
  return { label: `fitting ${namedModel(model.name).title}`, cost };
}

export async function fitDemoModel(
  runner: TaskRunner,
  data: DemoData,
  chosen: DemoModel,
  { steps: all, seed }: { readonly steps: number; readonly seed: number },
  progress: DemoProgress,
): Promise<DemoFit> {
  const steps = stepsOf(chosen, all);
  const stage = fitStage(chosen, all);
  progress.enter(stage);
  const [prepared, fitted] = [preparationCost / stage.cost, 1 - evaluationCost / stage.cost];
  const before = progress.seconds();
  const curve = new Float64Array(steps).fill(NaN);
  const { model, fit } = await fitModel(runner, {
    model: chosen.name,
    images: data.training.length,
    load: data.loadTraining,
    reading,
    steps,
    learningRate,
    seed,
    heldOut: 0,
    onPhase: (phase) => {
      progress.report(phase === "whitening" ? prepared / 2 : 0);
    },
    onStep: ({ step, negentropyDifferencePerDimension: difference }) => {
      curve[step] = difference;
      progress.report(
        prepared + ((fitted - prepared) * (step + 1)) / steps,
        `step ${step + 1}/${steps}, ΔJ ${significant(difference)} nats per pixel`,
      );
    },
  });
  const seconds = progress.seconds() - before;
  const evaluation = await evaluate(
    densityOf(model, runner),
    { images: 1, load: data.loadHeldOut },
    { patches: testPatches, seed },
  );
  return {
    title: namedModel(chosen.name).title,
    about: chosen.about,
    steps,
    rejectedSteps: fit.rejectedSteps,
    seconds,
    curve,
    evaluation,
    model: withOrigin(model, evaluation, data),
  };
}

/** Adds data and figures to the description of the model. */
function withOrigin(
  { transform, about }: Model,
  evaluation: Evaluation,
  { training, heldOut, fingerprint }: DemoData,
): Model {
  return {
    transform,
    about: {
      ...about,
      data: {
        ...about.data,
        description: `embedded photographs: ${training.map(({ name }) => name).join(", ")}`,
        hash: fingerprint,
        evaluatedOn: heldOut.name,
      },
      figures: {
        heldOutLogLikelihoodInNats: evaluation.meanLogLikelihood,
        negentropyDifferenceInNatsPerPixel: evaluation.negentropyDifferencePerDimension,
      },
    },
  };
}
