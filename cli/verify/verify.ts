/** The work of `gaussianize verify`: what is proven and observed about a model's invertibility. */
import type { AnyVerification, Density } from "../../src/density/density.js";
import { GaussianizeError } from "../../src/errors.js";
import type { Effects } from "../effects.js";
import { openModel } from "../model-files.js";
import { titleOf } from "../inspect/model-summary.js";
import { Progress } from "../progress.js";
import { wrapped } from "../text.js";
import { VerificationData, type VerifyOptions } from "./verification-data.js";

/** Observations on one set of samples, or on one whole image. */
interface Seen {
  readonly source: string;
  /** Width×height of a whole image. */
  readonly size?: string;
  readonly result: AnyVerification;
}

/** Proves what follows from the parameters alone, then examines samples or images. */
export async function verify(
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
        // A single item needs no progress line.
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

const noData = "none, because the model has no samples";

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
      `${path} is not invertible, so it has no density.`,
    );
  }
  for (const { result, source, size } of seen) {
    if ("failedSamples" in result && result.failedSamples > 0) {
      const reason = "components" in result ? "no component has one" : "a pivot is not positive";
      throw new GaussianizeError(
        "no-density",
        `${path} has no density at ${result.failedSamples} of ${result.samples} samples: ${reason}.`,
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
        `${path} fails the round trip or the determinant check on ${source}.`,
      );
    }
  }
}
