/** The last of the four transforms, fitted by itself: a GDN of the responses of the second CICA, as the paper goes on layer by layer (§4.3). */
import {
  type CascadePreset,
  type Field,
  type Gdn,
  createRandom,
  fitTransform,
  gdn,
  imageCascade,
  startingGdn,
} from "../../src/index.js";
import type { PaperContext, PaperImageFit } from "../experiment.js";
import { cascadeImages, stageFields } from "./cascade-responses.js";

const usualSteps = { full: 4000, quick: 800 };
const batch = 512;
const learningRate = 0.02;
/** Vectors of images that were left out: the best GDN for them is taken. */
const validationVectors = 2048;
const validations = 20;

/** The same model, its second normalization a GDN of all maps; what was fitted before stays as it is. */
export async function fitSecondGdn(
  context: PaperContext,
  size: CascadePreset,
  fit: PaperImageFit,
): Promise<PaperImageFit> {
  const groups = await context.part("cascade", `${size}-second-gdn`, async () => {
    const { alpha, beta, gamma, epsilon } = await fitted(context, fit);
    const plain = (values: ArrayLike<number>): number[] => Array.from(values);
    return {
      ...{ alpha: plain(alpha), beta: plain(beta) },
      ...{ gamma: plain(gamma), epsilon: plain(epsilon) },
    };
  });
  const { transform, about } = fit.model;
  const { stride, stages } = transform;
  const float32 = (values: readonly number[]): Float32Array => Float32Array.from(values);
  const last = gdn({
    ...{ structure: "column", dimension: stride * stride },
    ...{ alpha: float32(groups.alpha), beta: float32(groups.beta) },
    ...{ gamma: float32(groups.gamma), epsilon: float32(groups.epsilon) },
  });
  const all = imageCascade({ stride, stages: [...stages.slice(0, -1), last] });
  const title = `${fit.title}, then a second GDN`;
  return { ...fit, title, model: { transform: all, about } };
}

async function fitted(context: PaperContext, fit: PaperImageFit): Promise<Gdn> {
  const { runner, seed, signal, quick } = context;
  const fieldsOf = async (paths: readonly string[]): Promise<readonly Field[]> =>
    (await stageFields(context, fit, await cascadeImages(context, fit, paths)))["second CICA"];
  const [training, others] = [await fieldsOf(fit.images), await fieldsOf(fit.heldOut)];
  const steps = context.steps ?? (quick ? usualSteps.quick : usualSteps.full);
  const report = context.progress("second GDN", steps);
  const dimension = fit.model.transform.stride * fit.model.transform.stride;
  const { transform } = await fitTransform(
    runner,
    startingGdn({ structure: "column", dimension }),
    {
      ...{ steps, learningRate, signal },
      batchAt: (step) => vectorsOf(training, batch, seed, step),
      validation: {
        x: vectorsOf(others, validationVectors, seed, "validation"),
        every: Math.max(1, Math.ceil(steps / validations)),
        patience: 5,
      },
      onStep: report,
    },
  );
  report(steps);
  return transform;
}

/** At random locations of random fields. */
function vectorsOf(
  fields: readonly Field[],
  count: number,
  seed: number,
  purpose: string | number,
): Float32Array {
  const random = createRandom(seed, "paper cascade", "second GDN", purpose);
  const [{ maps }] = fields;
  const vectors = new Float32Array(count * maps);
  for (let s = 0; s < count; s++) {
    const { width, height, values } = fields[random.integer(fields.length)];
    const from = random.integer(width * height) * maps;
    vectors.set(values.subarray(from, from + maps), s * maps);
  }
  return vectors;
}
