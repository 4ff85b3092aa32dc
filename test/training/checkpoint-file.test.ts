import { beforeAll, describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  decodeCheckpoint,
  describeCheckpoint,
  encodeCheckpoint,
  isCheckpoint,
} from "../../src/training/checkpoint-file.js";
import { type FitCheckpoint, fitTransform } from "../../src/training/fit-transform.js";
import type { OptimiserName } from "../../src/training/optimisers.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import type { Gdn } from "../../src/transforms/gdn.js";
import { seed } from "../support/seed.js";

const n = 3;
let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

const batchAt = (step: number): Float32Array =>
  createRandom(seed, "batch", step).normalFill(new Float32Array(32 * n));
const whitening = Float64Array.of(1, 0.1, 0, 0, 2, 0, 0.3, 0, 0.5);
const start = startingGdn({ structure: "column", dimension: n, H: whitening });

const fitOptions = (optimiser: OptimiserName) => ({
  steps: 30,
  batchAt,
  whitening,
  optimiser,
  learningRate: optimiser === "adam" ? 0.05 : 0.5,
  validation: { x: batchAt(1000), every: 4, patience: 5 },
});

async function checkpointsOf(optimiser: OptimiserName) {
  const checkpoints: FitCheckpoint<Gdn>[] = [];
  const whole = await fitTransform(runner, start, {
    ...fitOptions(optimiser),
    checkpointEvery: 3,
    onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
  });
  return { checkpoints, whole };
}

describe.each(["adam", "sgd"] as const)("a checkpoint file of a fit by %s", (optimiser) => {
  test("keeps every bit, and a resumed fit ends with the same bits", async () => {
    const { checkpoints, whole } = await checkpointsOf(optimiser);
    expect(checkpoints.length).toBeGreaterThan(5);
    for (const checkpoint of checkpoints) {
      const bytes = encodeCheckpoint(checkpoint);
      expect(describeCheckpoint(bytes)).toMatchObject({ step: checkpoint.step, optimiser });
      expect(isCheckpoint(bytes)).toBe(true);
      const read = decodeCheckpoint(bytes, start);
      expect(read).toEqual(checkpoint);
      expect(await fitTransform(runner, read, fitOptions(optimiser))).toEqual(whole);
    }
  });

  test("gives the same bytes for the same checkpoint", async () => {
    const { checkpoints } = await checkpointsOf(optimiser);
    expect(encodeCheckpoint(checkpoints[2])).toEqual(
      encodeCheckpoint(structuredClone(checkpoints[2])),
    );
  });
});

describe("a checkpoint file that cannot be used", () => {
  const bytes = async () => encodeCheckpoint((await checkpointsOf("adam")).checkpoints[1]);

  test("of another model is rejected, and the error names the tensor", async () => {
    const other = startingGdn({ structure: "marginal", dimension: n, H: whitening });
    const read = bytes().then((file) =>
      decodeCheckpoint(file, other, { name: "run/checkpoint.safetensors" }),
    );
    await expect(read).rejects.toThrow(
      /^run\/checkpoint\.safetensors: Expected parameters\.3 to hold 3 values.* received 9\.$/,
    );
  });

  test("of another run of the same model is rejected", async () => {
    const { checkpoints } = await checkpointsOf("adam");
    const file = encodeCheckpoint(checkpoints[1], "run 1");
    expect(decodeCheckpoint(file, start, { run: "run 1" })).toEqual(checkpoints[1]);
    expect(() => decodeCheckpoint(file, start, { run: "run 2" })).toThrow(
      "the checkpoint: This is the checkpoint of another fit.",
    );
  });

  test("is rejected if truncated at any length", async () => {
    const file = await bytes();
    for (const part of [0, 7, 8, 100, 0.5 * file.length, file.length - 1]) {
      expect(() => decodeCheckpoint(file.subarray(0, part), start)).toThrow(/^the checkpoint: /);
    }
  });

  test("of another version or format is rejected", async () => {
    const text = Buffer.from(await bytes()).toString("latin1");
    const changed = (from: string, to: string): Uint8Array =>
      Buffer.from(text.replace(from, to), "latin1");
    expect(() => decodeCheckpoint(changed('"version":"1"', '"version":"9"'), start)).toThrow(
      'the checkpoint: The checkpoint has version "9"; this program reads version "1".',
    );
    expect(() =>
      decodeCheckpoint(changed("gaussianize-checkpoint", "gaussianize-somethings"), start),
    ).toThrow("the checkpoint: This is not a checkpoint of a fit.");
  });
});
