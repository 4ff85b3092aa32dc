/** All that the experiment on cascades measures of one of them, in parts that are kept. */
import type { PaperContext, PaperImageFit } from "../experiment.js";
import { type RoundTrip, logProbPerPixel, roundTrip } from "./cascade-checks.js";
import { type CascadeInformation, cascadeInformation } from "./cascade-information.js";
import { type CascadeMarginals, cascadeMarginals } from "./cascade-marginals.js";
import { type CascadeFits, stagesToCompare } from "./cascade-models.js";
import { cascadeImages, stageFields } from "./cascade-responses.js";

export interface Likelihoods {
  /** "one stage" */
  readonly title: string;
  readonly fit: PaperImageFit;
  /** Of each image, in nats per pixel. */
  readonly fitted: readonly number[];
  readonly heldOut: readonly number[];
}

/** Of one size of cascade. */
export interface MeasuredCascade {
  readonly fits: CascadeFits;
  /** Of the images that were fitted to, as in the paper, and of those that were left out. */
  readonly fitted: CascadeMarginals;
  readonly heldOut: CascadeMarginals;
  /** On images that were left out. */
  readonly information: CascadeInformation;
  readonly likelihoods: readonly Likelihoods[];
  readonly trips: readonly { readonly fit: PaperImageFit; readonly trip: RoundTrip }[];
}

export async function measureCascade(
  context: PaperContext,
  fits: CascadeFits,
): Promise<MeasuredCascade> {
  const { layered, joint, size } = fits;
  const part = <T>(key: string, make: () => Promise<T>): Promise<T> =>
    context.part("cascade", `${size}-${key}`, make);
  const heldOutFields = async () =>
    stageFields(context, layered, await cascadeImages(context, layered, layered.heldOut));
  const fitted = await part("fitted", async () => {
    const images = await cascadeImages(context, layered, layered.images);
    return cascadeMarginals(await stageFields(context, layered, images));
  });
  const heldOut = await part("held-out", async () => cascadeMarginals(await heldOutFields()));
  const information = await part("information", async () =>
    cascadeInformation(context, await heldOutFields()),
  );
  const likelihoods: Likelihoods[] = [];
  for (const each of stagesToCompare(fits)) {
    const { title, fit, transform } = each;
    const values = (paths: readonly string[]) => async () =>
      logProbPerPixel(context, title, transform, await cascadeImages(context, fit, paths));
    likelihoods.push({
      ...{ title, fit },
      fitted: await part(`likelihood-${likelihoods.length}-fitted`, values(fit.images)),
      heldOut: await part(`likelihood-${likelihoods.length}-held-out`, values(fit.heldOut)),
    });
  }
  const trips: { fit: PaperImageFit; trip: RoundTrip }[] = [];
  for (const fit of joint ? [layered, joint] : [layered]) {
    const trip = await part(`trip-${trips.length}`, () => roundTrip(context, fit, fit.heldOut[0]));
    trips.push({ fit, trip });
  }
  return { fits, fitted, heldOut, information, likelihoods, trips };
}
