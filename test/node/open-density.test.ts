import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openDensity } from "gaussianize/node";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { logProb } from "../../src/density/induced-density.js";
import type { Model } from "../../src/density/model-files/model.js";
import { gdn } from "../../src/transforms/gdn.js";
import { expectError } from "../support/expect-error.js";
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

test("a density comes from a path, an address, bytes, a model and a transform", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-open-density-"));
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

test("what is wrong with a file is said with its name", async () => {
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
