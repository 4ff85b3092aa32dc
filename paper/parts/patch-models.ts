/** The models of patches that several experiments of §4.2 look at: fitted once, shared. */
import type { ModelName } from "../../src/transforms/model-names.js";
import type { FitRequest, PaperContext, PaperFit } from "../experiment.js";

export type PatchModel = "ica-mg" | "rg" | "gdn";

/** From the simplest on. */
export const patchModels: readonly PatchModel[] = ["ica-mg", "rg", "gdn"];

/** The set that the paper takes its 16×16 patches from. */
export const patchSet = "kodak";

export function patchSize({ quick }: Pick<PaperContext, "quick">): number {
  return quick ? 8 : 16;
}

/** In words. */
export function patchWords({ quick }: Pick<PaperContext, "quick">): string {
  return quick
    ? "8×8 patches of the eight photographs that come with the package"
    : "16×16 patches of the 24 photographs of the Kodak set";
}

/** RG has three parameters beside its whitening, and is done early. */
const fullSteps: Partial<Record<ModelName, number>> = { rg: 1000 };
const quickSteps: Record<PatchModel, number> = { "ica-mg": 3000, rg: 500, gdn: 2500 };

/**
 * Like the paper's: fitted to all images, those that it is evaluated on; without noise unless that
 * is asked for.
 */
export function patchRequest(
  context: Pick<PaperContext, "quick">,
  model: PatchModel,
  noise = false,
): FitRequest {
  const { quick } = context;
  const [source, size] = [quick ? "embedded" : "kodak", patchSize(context)];
  const steps = quick ? quickSteps[model] : fullSteps[model];
  return {
    name: `${source}${size}-${model}${noise ? "-noise" : ""}`,
    model,
    set: patchSet,
    patch: size,
    noise,
    heldOut: 0,
    ...(steps === undefined ? {} : { steps }),
  };
}

export async function fitPatchModels(
  context: PaperContext,
  models: readonly PatchModel[] = patchModels,
): Promise<PaperFit[]> {
  const fits: PaperFit[] = [];
  for (const model of models) fits.push(await context.fit(patchRequest(context, model)));
  return fits;
}
