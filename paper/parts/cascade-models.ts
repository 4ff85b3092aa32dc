/** The cascades of §4.3: their fits, and their stages. */
import { prose } from "../../src/figures/report-text.js";
import { createRandom } from "../../src/random/random-stream.js";
import type { CascadePreset } from "../../src/training/cascade-geometry.js";
import { probeSchedule } from "../../src/training/gradient-kind.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import type { Field } from "../../src/transforms/field.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import { type ImageCascade, imageCascade } from "../../src/transforms/image-cascade.js";
import type { ImageFitRequest, PaperContext, PaperImageFit } from "../experiment.js";
import { cascadeImages, placesOfStages, stageFields } from "./cascade-responses.js";
import { recordOf } from "./left-out.js";

/** A cascade to fit: its images and its size. */
export interface CascadePlan {
  /** Name of its experiment. */
  readonly experiment: string;
  /** The paper does not say which images it used for the cascade. */
  readonly set: "kodak" | "vanhateren";
  /** Preset; `--quick` takes the smallest. */
  readonly size: CascadePreset;
  /** Whether to fit both stages together as well, which the paper does not. */
  readonly isJoint: boolean;
}

export interface CascadeFits extends CascadePlan {
  /**
   * Fitted one transform after the other, as in the paper: the second filters are convolutional
   * ICA, the second GDN is fitted to their responses.
   */
  readonly layered: PaperImageFit;
  /** Both stages fitted together at last; null unless the plan asks for it. */
  readonly joint: PaperImageFit | null;
}

/** Four of 24 images of Kodak; in a quick run two of eight, the fewest with a standard error. */
const heldOut = { full: 0.17, quick: 0.25 };
const quickSteps = 600;

export type CascadeWay = "cica" | "joint";

export function cascadeRequest(
  { quick }: Pick<PaperContext, "quick">,
  { set, size }: CascadePlan,
  way: CascadeWay,
): ImageFitRequest {
  return {
    name: `${quick ? "embedded" : set}-cascade-${size}-${way}`,
    cascade: size,
    set,
    heldOut: quick ? heldOut.quick : heldOut.full,
    ...(way === "cica"
      ? { greedy: 1, secondNormalization: "marginal" }
      : { secondNormalization: "gdn" }),
    ...(quick ? { steps: quickSteps } : {}),
  };
}

export async function cascadeFits(context: PaperContext, plan: CascadePlan): Promise<CascadeFits> {
  const fitted = context.quick ? ({ ...plan, size: "small" } as const) : plan;
  const cica = await context.fitImages(cascadeRequest(context, fitted, "cica"));
  const joint = plan.isJoint
    ? await context.fitImages(cascadeRequest(context, fitted, "joint"))
    : null;
  return { ...fitted, layered: await fitSecondGdn(context, fitted, cica), joint };
}

/** The first stage: CICA–GDN. */
export function firstStageOf(cascade: ImageCascade): ImageCascade {
  const [, end] = placesOfStages(cascade);
  return imageCascade({ stride: cascade.stride, stages: cascade.stages.slice(0, end + 1) });
}

/** The cascades to compare: one stage, two stages as in the paper, and two fitted together. */
export function stagesToCompare({ layered, joint }: CascadeFits) {
  const { transform } = layered.model;
  return [
    { title: "one stage", fit: layered, transform: firstStageOf(transform) },
    { title: "two stages, one after the other", fit: layered, transform },
    ...(joint
      ? [{ title: "two stages together", fit: joint, transform: joint.model.transform }]
      : []),
  ];
}

/** "64 filters of 24×24 pixels, 8 pixels apart, and 5×5 locations" */
export function sizeInWords(cascade: ImageCascade): string {
  const [first, second] = cascade.stages.filter((stage) => stage.kind === "convolution");
  const { stride } = cascade;
  const side = ({ width, height }: { width: number; height: number }, by: number): string =>
    `${by * width}×${by * height}`;
  return prose`
    ${stride * stride} filters of ${side(first.taps, stride)} pixels, moved by ${stride}, then as
    many over ${side(second.taps, 1)} locations
  `;
}

const parameters = ["alpha", "beta", "gamma", "epsilon"] as const;
const usualSteps = { full: 4000, quick: 800 };
const batch = 512;
const learningRate = 0.02;
/** Number of vectors of held-out images that select the best GDN. */
const validationVectors = 2048;
const validations = 20;

/**
 * Replaces the second normalization by a GDN of all maps, fitted to the responses of the second
 * CICA, since the paper fits layer by layer (§4.3). The other stages stay unchanged.
 */
async function fitSecondGdn(
  context: PaperContext,
  { experiment, size }: CascadePlan,
  fit: PaperImageFit,
): Promise<PaperImageFit> {
  const groups = await context.part(experiment, `${size}-second-gdn`, async () => {
    const layer = await fitted(context, fit);
    return recordOf(parameters, (name) => Array.from<number>(layer[name]));
  });
  const { transform, about } = fit.model;
  const { stride, stages } = transform;
  const last = gdn({
    structure: "column",
    dimension: stride * stride,
    ...recordOf(parameters, (name) => Float32Array.from(groups[name])),
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
      steps,
      learningRate,
      // 64 maps keep exact gradients; with 256 maps, they would take an hour.
      probes: probeSchedule("auto", { patch: fit.model.transform.stride }, seed) ?? undefined,
      signal,
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

/** Vectors at random locations of random fields. */
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
