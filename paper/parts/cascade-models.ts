/** The cascades of §4.3 that are looked at: how they are fitted, and what their stages are. */
import { type CascadePreset, type ImageCascade, imageCascade } from "../../src/index.js";
import type { ImageFitRequest, PaperContext, PaperImageFit } from "../experiment.js";
import { placesOfStages } from "./cascade-stages.js";
import { fitSecondGdn } from "./cascade-second-gdn.js";

/** One size of cascade. */
export interface CascadeFits {
  readonly size: CascadePreset;
  /** The paper's way, one transform after the other: its second filters are convolutional ICA, its second GDN is fitted to their responses. */
  readonly layered: PaperImageFit;
  /** Both stages fitted together in the end. Null where there is none: of the paper's size only what somebody has fitted is taken. */
  readonly joint: PaperImageFit | null;
}

/** The paper does not say which images: it has no others than these and van Hateren's. */
export const cascadeSet = "kodak";

/** Four of 24; in a quick run two of eight, the fewest that have a standard error. */
const heldOut = { full: 0.17, quick: 0.25 };
const quickSteps = 600;

export type CascadeWay = "cica" | "joint";

export function cascadeRequest(
  { quick }: Pick<PaperContext, "quick">,
  cascade: CascadePreset,
  way: CascadeWay,
): ImageFitRequest {
  const source = quick ? "embedded" : cascadeSet;
  return {
    name: `${source}-cascade-${cascade}-${way}`,
    cascade,
    set: cascadeSet,
    heldOut: quick ? heldOut.quick : heldOut.full,
    ...(way === "cica"
      ? { greedy: 1, secondNormalization: "marginal" }
      : { secondNormalization: "gdn" }),
    ...(quick ? { steps: quickSteps } : {}),
  };
}

/** The largest last. */
export async function cascadeFits(context: PaperContext): Promise<CascadeFits[]> {
  const size = context.quick ? "small" : "medium";
  const cica = await context.fitImages(cascadeRequest(context, size, "cica"));
  const joint = await context.fitImages(cascadeRequest(context, size, "joint"));
  const fitted = { size, layered: await fitSecondGdn(context, size, cica), joint } as const;
  if (context.quick) return [fitted];
  const kept = await context.keptImages(cascadeRequest(context, "paper", "cica"));
  if (!kept) return [fitted];
  const layered = await fitSecondGdn(context, "paper", kept);
  const together = await context.keptImages(cascadeRequest(context, "paper", "joint"));
  return [fitted, { size: "paper", layered, joint: together }];
}

/** CICA–GDN, what was there before the second stage. */
export function firstStageOf(cascade: ImageCascade): ImageCascade {
  const [, end] = placesOfStages(cascade);
  return imageCascade({ stride: cascade.stride, stages: cascade.stages.slice(0, end + 1) });
}

/** What is compared by likelihood and by draws: one stage, two of them the paper's way, and two that were fitted together. */
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
  return `${stride * stride} filters of ${side(first.taps, stride)} pixels, moved by ${stride}, then as many over ${side(second.taps, 1)} locations`;
}
