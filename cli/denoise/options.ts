/** What `gaussianize denoise` can be asked for, and what of it makes no sense together. */
import { InvalidArgumentError } from "commander";
import { type DenoisingMethod, UsageError, greyLevels } from "../../src/index.js";

export interface DenoiseOptions {
  readonly output?: string;
  /** In grey levels of 255, as all of them here. */
  readonly sigma?: number;
  readonly method: DenoisingMethod;
  readonly model?: string;
  readonly stride?: number;
  readonly rounds?: number;
  readonly self?: true;
  readonly selfSteps?: number;
  readonly reference?: string;
  readonly addNoise?: number;
  readonly seed: number;
  readonly compare?: true;
  readonly force?: true;
  readonly workers?: number;
  readonly json?: true;
}

/** Methods by a density of patches. */
function isOfDensity(method: DenoisingMethod): boolean {
  return method === "gdn" || method === "ica-mg";
}

/** A noise level: noise of 255 grey levels leaves nothing of a picture. */
export function noiseLevel(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value <= greyLevels) return value;
  throw new InvalidArgumentError(
    `It must be a number above 0 and at most ${greyLevels}, in grey levels of ${greyLevels}.`,
  );
}

export function requireConsistent(options: DenoiseOptions): void {
  const { method, output, addNoise } = options;
  // The methods of densities choose one of their own; whoever brings one has chosen.
  if (options.model !== undefined && method !== "gdn") {
    throw new UsageError(
      `--model takes a density of any kind, without --method; received --method ${method}`,
    );
  }
  const ofDensities = { "--self": options.self, "--stride": options.stride };
  for (const [name, value] of Object.entries(ofDensities)) {
    if (value === undefined || isOfDensity(method)) continue;
    throw new UsageError(`${name} is for --method gdn or ica-mg; received --method ${method}`);
  }
  if (options.rounds !== undefined && method !== "gdn") {
    throw new UsageError(`--rounds is for --method gdn; received --method ${method}`);
  }
  if (options.selfSteps !== undefined && !options.self) {
    throw new UsageError("--self-steps is for --self, which was not given");
  }
  if (addNoise !== undefined && options.reference !== undefined) {
    throw new UsageError(
      "Give either --add-noise, which takes the pictures themselves for clean, or --reference, not both",
    );
  }
  if (output === undefined && addNoise === undefined) {
    throw new UsageError("Where should the pictures go? Give -o <file or folder>");
  }
  if (output === undefined && options.compare) {
    throw new UsageError("--compare writes beside the denoised picture: give -o <file or folder>");
  }
}
