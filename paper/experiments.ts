import { cascade, paperCascade, vanHaterenCascade } from "./cascade.js";
import { contours } from "./contours.js";
import { denoising } from "./denoising.js";
import { distributions } from "./distributions.js";
import type { Experiment } from "./experiment.js";
import { filters } from "./filters.js";
import { ideas } from "./ideas.js";
import { likelihood } from "./likelihood.js";
import { mutualInformation } from "./mutual-information.js";
import { negentropy } from "./negentropy.js";
import { otherPatches } from "./other-patches.js";
import { samples } from "./samples.js";

/** All experiments, in the order of the paper; at the end, what goes beyond it. */
export const experiments: readonly Experiment[] = [
  mutualInformation,
  contours,
  negentropy,
  distributions,
  samples,
  denoising,
  likelihood,
  cascade,
  paperCascade,
  vanHaterenCascade,
  filters,
  ideas,
  otherPatches,
];
