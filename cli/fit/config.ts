/** The configuration of a run: from the command line into config.json, and back. */
import { resolve } from "node:path";
import type { JsonObject } from "../../src/density/model-files/json.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import {
  type FitTerms,
  flagOf,
  flagValue,
  requireFitTerms,
  windowOfTerms,
} from "../../src/runs/fit-terms.js";
import type { FitAsked, FitOptionName } from "../../src/training/fit-options.js";
import { optionNames, optionTable } from "../../src/training/settle-options.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import type { Effects } from "../effects.js";
import { packageVersion } from "../package.js";
import { imagesAt } from "../skipped-files.js";
import type { FitCommandLine } from "./options.js";

/** Everything that determines the model, defaults included: equal configurations, equal bits. */
export interface FitConfig extends FitTerms {
  /** Version of the package: another version may take other steps. */
  readonly program: string;
  /** Fingerprint of the images, to recognise them. */
  readonly fingerprint: string;
  /** Number of images in memory at once. */
  readonly window: number;
}

export function configFor(terms: FitTerms, set: ImageSet): FitConfig {
  const { fingerprint } = set;
  return { ...terms, program: packageVersion(), fingerprint, window: windowOfTerms(terms, set) };
}

/** Finds the images of a command line. With `effects`, prints which files are skipped. */
export async function imagesFrom(
  { patterns, options: { embedded } }: FitCommandLine,
  effects?: Effects,
): Promise<readonly string[]> {
  if (embedded && patterns.length > 0) {
    throw new UsageError("Give either images or --embedded, not both.");
  }
  if (embedded) return embeddedPhotographs().map(({ path }) => path);
  if (patterns.length === 0) {
    throw new UsageError(
      "No images given: name files, folders, globs or @lists, or use --embedded for the photographs that come with the package.",
    );
  }
  return (await imagesAt(patterns, effects)).map((path) => resolve(path));
}

/** Checks the configuration of a run, which may have been edited, or be from another version. */
export function configOf(config: JsonObject, path: string): FitConfig {
  const { program, fingerprint, window } = config;
  // Checked first: another version may have other terms.
  if (program !== packageVersion()) {
    throw new GaussianizeError(
      "unsupported-file",
      `${path} was written by gaussianize ${JSON.stringify(program)}, which may take other steps than this version, ${packageVersion()}: start again with --force.`,
    );
  }
  const terms = requireFitTerms(config, path);
  if (typeof fingerprint !== "string" || typeof window !== "number") {
    throw new GaussianizeError(
      "file-damaged",
      `${path} is incomplete: fingerprint or window is missing.`,
    );
  }
  return { ...terms, program, fingerprint, window };
}

/**
 * Returns the options of a run, replaced by those that a command gives: a command that resumes a
 * run need not repeat its options, but they decide what is allowed.
 */
export function optionsOfRun(config: FitConfig, asked: FitAsked): FitAsked {
  const own = optionNames.map((name) => [name, config[name] ?? optionTable[name].absent] as const);
  return { ...Object.fromEntries(own), ...asked };
}

/** Returns the terms of a run, extended if the command asks for more steps. */
export function extendedTerms(config: FitConfig, { steps = 0 }: FitAsked): FitConfig {
  if (steps <= config.steps) return config;
  return { ...config, steps, restarts: [...(config.restarts ?? []), config.steps] };
}

/** Returns the terms of a run before its last extension. */
export function termsBefore({ restarts = [], ...config }: FitConfig): FitConfig {
  const before = restarts.slice(0, -1);
  const terms = { ...config, steps: restarts.at(-1) ?? config.steps };
  return before.length === 0 ? terms : { ...terms, restarts: before };
}

/** Rejects a command that resumes a run under other terms, except with more steps. */
export function requireSame(
  config: FitConfig,
  terms: FitTerms,
  { patterns, asked, options }: FitCommandLine,
): void {
  const refusal = (what: string) =>
    new UsageError(
      `The run in ${options.output} ${what}: resume it with -o and --resume alone, or replace it with --force.`,
    );
  const others = terms.cascade === undefined ? "cascades" : "patches";
  for (const name of Object.keys(asked) as FitOptionName[]) {
    if (optionTable[name].for === others && name !== "cascade") continue;
    const [before, now] = [config, terms].map((all) => all[name] ?? optionTable[name].absent);
    if (now === undefined || before === now) continue;
    if (name === "steps" && terms.steps > config.steps) continue;
    const flag = flagOf(name);
    const own =
      before === undefined || before === null ? `no ${flag}` : `${flag} ${valueText(name, before)}`;
    const more = name === "steps" ? ", and a fit can only be extended" : "";
    throw refusal(`has ${own}, but this command says ${valueText(name, now)}${more}`);
  }
  const hasImages = patterns.length > 0 || options.embedded === true;
  if (hasImages && JSON.stringify(config.images) !== JSON.stringify(terms.images)) {
    throw refusal("has other images");
  }
}

function valueText(name: FitOptionName, value: string | number | boolean | null): string {
  return typeof value === "number" ? flagValue(name, value) : JSON.stringify(value);
}
