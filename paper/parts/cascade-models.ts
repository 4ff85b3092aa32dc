/** The cascades of §4.3 that are looked at: how they are fitted, and what their stages are. */
import { type ImageCascade, imageCascade } from "../../src/index.js";
import type { CascadeSize, ImageFitRequest, PaperContext, PaperImageFit } from "../experiment.js";

/** One size of cascade, its stages fitted one after the other and then together. */
export interface CascadeFits {
  readonly size: CascadeSize;
  readonly greedy: PaperImageFit;
  /** Null where there is none: of the paper's size only what somebody has fitted is taken. */
  readonly joint: PaperImageFit | null;
}

/** The paper does not say which images: it has no others than these and van Hateren's. */
export const cascadeSet = "kodak";

/** Every sixth of 24; in a quick run two of eight, the fewest that have a standard error. */
const heldOut = { full: 1 / 6, quick: 1 / 4 };

export function cascadeRequest(
  { quick }: Pick<PaperContext, "quick">,
  cascade: CascadeSize,
  joint: boolean,
): ImageFitRequest {
  const source = quick ? "embedded" : cascadeSet;
  return {
    name: `${source}-cascade-${cascade}${joint ? "-joint" : ""}`,
    cascade,
    set: cascadeSet,
    heldOut: quick ? heldOut.quick : heldOut.full,
    joint,
  };
}

/** The largest last. */
export async function cascadeFits(context: PaperContext): Promise<CascadeFits[]> {
  const size = context.quick ? "small" : "medium";
  const fitted: CascadeFits = {
    size,
    greedy: await context.fitImages(cascadeRequest(context, size, false)),
    joint: await context.fitImages(cascadeRequest(context, size, true)),
  };
  if (context.quick) return [fitted];
  const greedy = await context.keptImages(cascadeRequest(context, "paper", false));
  const joint = await context.keptImages(cascadeRequest(context, "paper", true));
  return greedy ? [fitted, { size: "paper", greedy, joint }] : [fitted];
}

export const cascadeStages = ["first CICA", "first GDN", "second CICA", "second GDN"] as const;
export type CascadeStage = (typeof cascadeStages)[number];

/** Where the stages of these names are among all of a cascade, preprocessing included. */
export function placesOfStages({ stages }: ImageCascade): readonly number[] {
  const places = stages.flatMap(({ kind }, k) =>
    kind === "convolution" || kind === "gdn" ? [k] : [],
  );
  const kinds = places.map((k) => stages[k].kind).join();
  if (kinds === "convolution,gdn,convolution,gdn") return places;
  throw new Error(`a cascade of ${kinds} is not one of two stages`);
}

/** CICA–GDN, what was there before the second stage. */
export function firstStageOf(cascade: ImageCascade): ImageCascade {
  const [, end] = placesOfStages(cascade);
  return imageCascade({ stride: cascade.stride, stages: cascade.stages.slice(0, end + 1) });
}

/** What is compared by likelihood and by draws: one stage more each time, then both fitted further. */
export function stagesToCompare({ greedy, joint }: CascadeFits) {
  const { transform } = greedy.model;
  return [
    { title: "one stage", fit: greedy, transform: firstStageOf(transform) },
    { title: "two stages, one after the other", fit: greedy, transform },
    ...(joint
      ? [{ title: "two stages, then together", fit: joint, transform: joint.model.transform }]
      : []),
  ];
}

/** "64 filters of 24×24 pixels, 8 pixels apart, and 5×5 locations" */
export function sizeInWords(cascade: ImageCascade): string {
  const [first, second] = cascade.stages.filter((stage) => stage.kind === "convolution");
  const { stride } = cascade;
  const side = ({ width, height }: { width: number; height: number }, by: number): string =>
    `${by * width}×${by * height}`;
  return `${stride ** 2} filters of ${side(first.taps, stride)} pixels, moved by ${stride}, then as many over ${side(second.taps, 1)} locations`;
}
