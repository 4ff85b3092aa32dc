import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { fit, openDensity, writePng } from "gaussianize/node";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { logProb } from "../../src/density/induced-density.js";
import type { Model } from "../../src/density/model-files/model.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitSamples } from "../../src/training/fit-samples.js";
import { gdn } from "../../src/transforms/gdn.js";
import { expectError } from "../support/expect-error.js";
import { temporaryFolder } from "../support/folders.js";
import { smallCascade } from "../support/image-models.js";
import { simdRunner } from "../support/inline-runners.js";

const transform = gdn({
  structure: "column",
  dimension: 2,
  alpha: [1.5, 2],
  beta: [1, 1],
  gamma: [0.5, 0.2, 0.1, 0.4],
  epsilon: [0.4, 0.3],
});
const model: Model = { transform, about: { name: "two numbers" } };
const x = Float32Array.of(1, 2, -3, 0.5);

test("opens a path, a URL, bytes, a model and a transform", async () => {
  const folder = await temporaryFolder("open-density");
  const path = join(folder, "model.safetensors");
  const first = await openDensity(model);
  await first.save(path);
  expect(new Uint8Array(await readFile(path))).toEqual(encodeModel(model));
  expect(first.encode()).toEqual(encodeModel(model));
  const wanted = await logProb(simdRunner, transform, x);
  for (const source of [path, pathToFileURL(path), encodeModel(model), model, transform]) {
    const density = await openDensity(source);
    expect(await density.logProb(x)).toEqual(wanted);
    expect(density.model.about.name).toBe(source === transform ? undefined : "two numbers");
  }
  expect((await openDensity(smallCascade)).kind).toBe("images");
});

test("names the file in errors", async () => {
  await expect(openDensity("nowhere.safetensors")).rejects.toThrow("nowhere.safetensors");
  await expect(openDensity(Uint8Array.of(1, 2, 3))).rejects.toThrow("the model file:");
  await expectError(openDensity(7 as never), { code: "invalid-argument", argument: "the model" });
});

test("densities share their workers until the last one is closed", async () => {
  const one = await openDensity(model, { workers: 1 });
  const two = await openDensity(transform, { workers: 1 });
  const runner = await one.runner();
  expect(await two.runner()).toBe(runner);
  await one.close();
  await expect(one.logProb(x)).rejects.toThrow("This density was closed.");
  expect(await two.logProb(x)).toHaveLength(2);
  await two[Symbol.asyncDispose]();
  expect(runner.isClosed).toBe(true);
});

const random = createRandom(1, "rows");
const rows = Array.from({ length: 300 }, () => {
  const x = random.normal();
  return [x, (0.3 + Math.abs(x)) * random.normal()];
});
const scenes = [1, 2, 3].map((k) => {
  const { width, height, pixels } = deadLeaves(createRandom(k, "scene"), { width: 40, height: 40 });
  return { width, height, pixels: pixels.map((value) => Math.round(255 * value) / 255) };
});
const small = { patch: 4, steps: 6, batch: 32, workers: 0 };

describe("fit", () => {
  test("fits rows like fitSamples, and returns the history", async () => {
    const steps: number[] = [];
    const onProgress = ({ step }: { readonly step: number }) => steps.push(step);
    const { density, history, problem } = await fit(rows, { steps: 20, workers: 0, onProgress });
    expect(density.model.transform).toEqual(await fitSamples(simdRunner, rows, { steps: 20 }));
    expect(history.map(({ step }) => step)).toEqual(steps);
    expect([steps.length, problem, density.dimension]).toEqual([20, null, 2]);
    const flat = [1, 2, 3, 4] as unknown as number[][];
    await expect(fit(flat, { steps: 1 })).rejects.toThrow(/^Expected/);
    await expect(fit(rows, { steps: 1, patch: 8 })).rejects.toThrow('received "patch"');
  });

  test("fits samples in one array like rows", async () => {
    const flat = Float64Array.from(rows.flat());
    const { density } = await fit(flat, { dimension: 2, steps: 5, workers: 0 });
    const ofRows = await fit(rows, { steps: 5, workers: 0 });
    expect(density.model).toEqual(ofRows.density.model);
    await expect(fit(flat, { steps: 1 })).rejects.toThrow("Expected dimension to be given");
  });

  test("lists the options that samples and images take, and rejects pictures", async () => {
    const fields = "dimension, signal, onProgress, workers, kernels but received";
    await expectError(fit(rows, { heldOut: 0.1 }), { code: "invalid-argument", phrase: fields });
    await expectError(fit(scenes, { ...small, dimension: 2 }), {
      code: "invalid-argument",
      argument: "the options of a fit to images",
      phrase: /heldOut.*signal, onProgress, onValidation.* but received "dimension"/,
    });
    const picture = { width: 4, height: 4, channels: [new Float32Array(16)] };
    await expectError(fit([picture] as never, small), {
      code: "invalid-argument",
      argument: "the data",
    });
  });

  test("fits a folder of pictures and images in memory alike", async () => {
    const folder = await temporaryFolder("fit");
    for (const [k, scene] of scenes.entries()) await writePng(join(folder, `${k}.png`), scene);
    const ofFiles = await fit(folder, { ...small, luminance: "grey", noise: false });
    const { density } = await fit(scenes, { ...small, luminance: "grey", noise: false });
    expect(density.model.transform).toEqual(ofFiles.density.model.transform);
    expect(density.model.about.patch).toMatchObject({ width: 4, height: 4, luminance: "grey" });
    const path = join(folder, "model.safetensors");
    await density.save(path);
    expect((await openDensity(path)).model).toEqual(density.model);
  });

  test("fits whole images with a cascade", async () => {
    const asked = { cascade: "small", stages: 1, steps: 2, batch: 16, workers: 0 } as const;
    const { density } = await fit(scenes, asked);
    expect(density.kind).toBe("images");
    const size = { width: 8, height: 8 };
    expect(await density.sample(1, { size })).toHaveLength(1);
  });

  test("stops with its signal", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(fit(rows, { signal, workers: 0 })).rejects.toThrow("enough");
  });
});
