/** Rejects options of `gaussianize fit` that contradict each other or have no effect. */
import { UsageError } from "../../src/errors.js";
import { patchDimension } from "../../src/patches/patch-layout.js";
import { type FitTerms, fitTerms, flagOf, readingOfTerms } from "../../src/runs/fit-terms.js";
import { largestPoolRank } from "../../src/training/fit-defaults.js";
import {
  type FitAsked,
  type FitOptionName,
  mostGreedyOfLayers,
} from "../../src/training/fit-options.js";
import { hasFullPools } from "../../src/training/gradient-kind.js";
import { optionNames, optionTable } from "../../src/training/settle-options.js";

/** Options that the command line gives. */
type Given = ReadonlySet<FitOptionName>;

/** `asked` are the options of the run; `given` names those that the command line gives. */
export function requireConsistent(given: Given, asked: FitAsked): void {
  const terms = fitTerms(asked, []);
  const { protocol } = asked;
  const decided = firstOf(given, ["patch", "luminance", "removeMean"]);
  if (given.has("protocol") && decided !== undefined) {
    throw new UsageError(
      `--protocol ${protocol} already sets ${flagOf(decided)}: give one of them.`,
    );
  }
  if (terms.noiseLevel !== undefined) requireForNoise(given, terms);
  requireForSubject(given, terms);
  if (terms.removeMean && terms.preprocessing === "logistic") {
    throw new UsageError(
      "--preprocessing must be standardize with --remove-mean; received logistic.",
    );
  }
  requireForModel(given, terms);
  if (terms.heldOut === 0 && given.has("patience")) {
    throw new UsageError("--patience needs held-out images; received --held-out 0.");
  }
  if (terms.optimiser === "sgd" && asked.learningRate === undefined) {
    throw new UsageError("--optimiser sgd needs --rate: there is no default that suits all data.");
  }
}

/** Returns the option that makes the fit one of a mixture, if any. */
export function mixtureOption({
  symmetric,
  components = 1,
}: Pick<FitAsked, "symmetric" | "components">): string | undefined {
  if (symmetric === true) return "--symmetric";
  return components > 1 ? `--components ${components}` : undefined;
}

function firstOf(given: Given, names: readonly FitOptionName[]): FitOptionName | undefined {
  return names.find((name) => given.has(name));
}

function requireForModel(given: Given, terms: FitTerms): void {
  const { model, subspace, patch, poolRank = 0 } = terms;
  if (model !== "isa" && given.has("subspace")) {
    throw new UsageError(`--subspace is for --model isa; received --model ${model}.`);
  }
  if (model === "isa" && subspace > patch * patch) {
    throw new UsageError(
      `--subspace must be at most ${patch * patch}, the pixels of a patch; received ${subspace}.`,
    );
  }
  if (model !== "gdn" && poolRank > 0) {
    throw new UsageError(`--pool-rank is for --model gdn; received --model ${model}.`);
  }
  if (terms.gradient === "probes" && !hasFullPools(terms)) {
    const own = poolRank > 0 ? `--pool-rank ${poolRank}` : `--model ${model}`;
    throw new UsageError(
      `--gradient probes is for --model gdn without --pool-rank; received ${own}.`,
    );
  }
  const dimension = patchDimension(readingOfTerms(terms).layout);
  if (poolRank > largestPoolRank(dimension)) {
    throw new UsageError(
      `--pool-rank must be at most ${dimension}, the dimensions of a patch; received ${poolRank}.`,
    );
  }
}

/** Rejects options that would change the noise: denoising needs it as it is in the picture. */
function requireForNoise(given: Given, { preprocessing }: FitTerms): void {
  const contrary = firstOf(given, ["protocol", "noise", "removeMean"]);
  if (contrary !== undefined) {
    throw new UsageError(
      `--noise-level and ${flagOf(contrary)} contradict each other: give one of them.`,
    );
  }
  if (preprocessing !== "logistic") return;
  throw new UsageError(
    "--preprocessing must be standardize with --noise-level; received logistic, which would distort the noise.",
  );
}

/** Rejects options that do not suit the subject of the fit. */
function requireForSubject(given: Given, terms: FitTerms): void {
  requireKind(given, terms);
  if ((terms.greedy ?? 0) > 0 && given.has("patience")) {
    throw new UsageError(
      "--patience works only if all layers or stages are fitted together from the start: add --greedy 0.",
    );
  }
}

/** Rejects options of patches for a cascade, and the reverse. */
function requireKind(given: Given, terms: FitTerms): void {
  const { cascade, greedy = 0, layers = 1 } = terms;
  if (cascade !== undefined) {
    requireForCascade(given, terms);
    return;
  }
  const alone = optionNames.find((name) => given.has(name) && optionTable[name].for === "cascades");
  if (alone !== undefined) throw new UsageError(`${flagOf(alone)} is for --cascade.`);
  if (given.has("greedy") && layers === 1) {
    throw new UsageError(
      "--greedy is for several --layers, or for --cascade; received --layers 1.",
    );
  }
  const mixed = mixtureOption(terms);
  if (mixed !== undefined && layers > 1) requireForMixture(given, mixed);
  if ((terms.couplings ?? 0) > 0 && layers === 1) {
    throw new UsageError("--couplings is for several --layers; received --layers 1.");
  }
  if (greedy <= mostGreedyOfLayers) return;
  throw new UsageError(
    `--greedy must be a number from 0 to ${mostGreedyOfLayers} with --layers; received ${greedy}.`,
  );
}

/** A mixture of several layers is fitted in phases of its own. */
function requireForMixture(given: Given, mixed: string): void {
  const other = firstOf(given, ["greedy", "patience"]);
  if (other === undefined) return;
  throw new UsageError(
    `${flagOf(other)} cannot be combined with ${mixed} and several --layers: such a fit trains the first layers alone, and then all. Omit ${flagOf(other)}.`,
  );
}

function requireForCascade(given: Given, { cascade, stages }: FitTerms): void {
  if (given.has("certified")) {
    throw new UsageError("--certified is for patches: a --cascade always keeps q below 1.");
  }
  const other = optionNames.find((name) => given.has(name) && optionTable[name].for === "patches");
  if (other !== undefined) {
    throw new UsageError(
      `${flagOf(other)} is for patches; --cascade ${cascade} fits whole images.`,
    );
  }
  const ofTwo = firstOf(given, ["greedy", "secondNormalization"]);
  if (stages === 1 && ofTwo !== undefined) {
    throw new UsageError(`${flagOf(ofTwo)} is for a cascade of 2 --stages; received --stages 1.`);
  }
}
