/**
 * `gaussianize verify MODEL [IMAGES…]`: what is proven and what was observed about the
 * invertibility of a model.
 */
import type { Command } from "commander";
import type { AnyVerification, Density } from "../../src/density/density.js";
import { GaussianizeError } from "../../src/errors.js";
import type { Effects } from "../effects.js";
import { openModel } from "../model-files.js";
import { titleOf } from "../model-summary.js";
import { inputFile, inputFiles, wholeNumber, workerCount } from "../options.js";
import { Progress } from "../progress.js";
import { wrapped } from "../text.js";
import { VerificationData, type VerifyOptions } from "../verification-data.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Says what is proven about the invertibility of a model, and what its Jacobian looks like on data: patches of images, or samples of the model itself. Of a model of whole images also its round trip, its log-determinant by another way, and singular values. Ends with exit code 1 where the model is not invertible.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument(
      "[images...]",
      "pictures to take patches from: files, folders, tar archives, globs",
      inputFiles,
    )
    .option(
      "--samples <n>",
      "number of patches or samples; of whole images, locations of each",
      wholeNumber(1),
      1000,
    )
    .option("--seed <n>", "seed of the choice of patches or samples", wholeNumber(0), 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize verify gdn.safetensors\n  gaussianize verify gdn.safetensors photo1.png photo2.jpg --samples 5000\n  gaussianize verify gdn.safetensors --json | jq .certified\n",
    )
    .action((path: string, images: readonly string[], options: VerifyOptions) =>
      check(path, images, options, effects),
    );
}

/** What was seen on one set of samples, or on one whole image. */
interface Seen {
  readonly source: string;
  /** Of a whole image: width×height. */
  readonly size?: string;
  readonly result: AnyVerification;
}

/** The proof comes from the parameters alone; then samples or images are looked at. */
async function check(
  path: string,
  images: readonly string[],
  options: VerifyOptions,
  effects: Effects,
): Promise<void> {
  await using density = await openModel(path, options);
  const data = new VerificationData(density, path, images, options, effects);
  const proof = await density.verify();
  const seen: Seen[] = [];
  let progress: Progress | undefined;
  for await (const { x, total, ...from } of data.items(proof.invertible)) {
    progress ??= new Progress(effects, "verify", total);
    const before = seen.length;
    const result = await density.verify(x, {
      locations: options.samples,
      onProgress: (done) => {
        // Of a single one, there is nothing to say but that it is done.
        if (total > 1) progress?.report(before + done);
      },
    });
    seen.push({ ...from, result });
  }
  progress?.finish();
  const { stdout } = effects;
  if (options.json) stdout.write(`${jsonOf(path, density, proof, seen, options)}\n`);
  else stdout.write(`${textOf(path, density, proof, seen)}\n`);
  requireSound(path, proof, seen);
}

const noData = "none, since the model has no samples";

function jsonOf(
  path: string,
  { kind }: Density,
  proof: AnyVerification,
  seen: readonly Seen[],
  { seed }: VerifyOptions,
): string {
  const [{ source, result } = { source: noData, result: proof }] = seen;
  if (kind === "patches") {
    return JSON.stringify({ model: path, data: source, seed, ...result }, null, 2);
  }
  const { certificate, certified, cycleMean, invertible, proven } = proof;
  const proofs = { certificate, certified, cycleMean, invertible, proven };
  const data = seen.map(({ result: found, ...from }) => ({ ...from, ...found }));
  return JSON.stringify({ model: path, seed, ...proofs, data }, null, 2);
}

function textOf(
  path: string,
  { model }: Density,
  { proven }: AnyVerification,
  seen: readonly Seen[],
): string {
  const observed = seen.map(({ source, size, result }) => [
    `Data: ${source}${size === undefined ? "" : `, ${size} pixels`}.`,
    ...result.observed,
    ...result.notes,
  ]);
  const paragraphs = [proven, ...(seen.length > 0 ? observed : [[`Data: ${noData}.`]])]
    .map((sentences) => sentences.map((sentence) => wrapped(sentence)).join("\n"))
    .filter((text) => text !== "");
  return [titleOf(path, model), ...paragraphs].join("\n\n");
}

function requireSound(path: string, { invertible }: AnyVerification, seen: readonly Seen[]): void {
  if (!invertible) {
    throw new GaussianizeError(
      "not-invertible",
      `${path} is not invertible, so that it induces no density.`,
    );
  }
  for (const { result, source, size } of seen) {
    if ("failedSamples" in result && result.failedSamples > 0) {
      throw new GaussianizeError(
        "no-density",
        `${path} has no density at ${result.failedSamples} of ${result.samples} samples: a pivot is not positive.`,
      );
    }
    if (!result.invertible) {
      throw new GaussianizeError(
        "not-invertible",
        `${path} is not invertible on images of ${size} pixels: a convolution is singular there.`,
      );
    }
    if ("passed" in result && !result.passed) {
      throw new GaussianizeError(
        "not-invertible",
        `${path} fails on ${source}: what was observed is not as it must be.`,
      );
    }
  }
}
