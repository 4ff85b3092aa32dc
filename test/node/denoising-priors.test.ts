import { readFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { describe, expect, test } from "vitest";
import { denoise, readPicture, writePicture } from "gaussianize/node";
import { denoisingPriors, nearestPrior, packagePriors } from "../../node/denoising-priors.js";
import { readGuided, readPatchModel } from "../../node/model-files.js";
import { readingOf } from "../../src/density/model-files/model-reading.js";
import { denoisePicture } from "../../src/denoising/denoise-picture.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { expectError, refusal, sentenceOf } from "../support/expect-error.js";
import { fileFolder } from "../support/folders.js";
import { simdRunner } from "../support/inline-runners.js";
import { noisyScene } from "../support/scenes.js";

const families = [
  { family: "gdn", structure: "column", priors: await denoisingPriors() },
  { family: "ica-mg", structure: "marginal", priors: await denoisingPriors("ica-mg") },
] as const;

describe.each(families)("denoisingPriors of $family", ({ family, structure, priors }) => {
  test("returns the priors of that family", async () => {
    expect(await denoisingPriors(family)).toEqual(priors);
    for (const { sigma, path } of priors) {
      expect(basename(path)).toBe(`${family}-${sigma}.safetensors`);
      const stages = stagesOf((await readPatchModel(path)).transform);
      expect(stages.at(-1)).toMatchObject({ kind: "gdn", structure });
    }
  });

  test("sorts by noise level, and the files are in the package", () => {
    expect(priors.length).toBeGreaterThan(0);
    const levels = priors.map(({ sigma }) => sigma);
    expect(levels).toEqual([...new Set(levels)].sort((a, b) => a - b));
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[] };
    expect(files).toContain("priors");
  });

  test.each(priors)("$sigma was fitted at that noise level", async ({ sigma, path }) => {
    expect(isAbsolute(path)).toBe(true);
    const reading = readingOf(await readPatchModel(path));
    expect(reading?.luminance).toBe("grey");
    expect(reading?.layout.removeMean).toBe(false);
    expect(255 * (reading?.noiseLevel ?? 0)).toBeCloseTo(sigma, 9);
  });
});

describe.each(families)("nearestPrior of $family", ({ family, priors }) => {
  test.each([0.01, 1, 4, 14.43, 19.36, 25, 37, 60, 255, 1e6])(
    "has the smallest ratio to %d",
    async (sigma) => {
      const ratio = (other: number): number => Math.max(other / sigma, sigma / other);
      const best = Math.min(...priors.map((prior) => ratio(prior.sigma)));
      expect(ratio((await nearestPrior(sigma, family)).sigma)).toBe(best);
    },
  );

  test.each([0, -1, NaN, Infinity])("rejects %d", async (sigma) => {
    expect(await sentenceOf(nearestPrior(sigma, family))).toBe(
      refusal("sigma", "be a positive number", sigma),
    );
  });
});

test("rejects families that are not in the package", async () => {
  const sentence = refusal("family", "be one of gdn, ica-mg, guided", "rg");
  expect(await sentenceOf(denoisingPriors("rg" as "gdn"))).toBe(sentence);
  expect(await sentenceOf(nearestPrior(25, "rg" as "gdn"))).toBe(sentence);
});

test("guided densities were fitted at the noise levels in their names", async () => {
  const guided = await denoisingPriors("guided");
  expect(guided.length).toBeGreaterThan(0);
  for (const { sigma, path } of guided) {
    const { guided: densities, about } = await readGuided(path);
    expect(255 * densities.noiseLevel).toBeCloseTo(sigma, 9);
    expect(densities.size).toBe(8);
    expect(about.name).toBe(`Guided GDN, σ = ${sigma}`);
  }
});

test("denoise uses the priors of the package, with the bits of denoisePicture", async () => {
  const { noisy } = noisyScene(24, 24, 0.1);
  const picture = { width: noisy.width, height: noisy.height, channels: [noisy.pixels] };
  const options = { sigma: 0.1, rounds: 1, stride: 4 };
  const clean = await denoise(picture, options);
  const wanted = await denoisePicture(simdRunner, packagePriors(), picture, options);
  expect(clean.channels).toEqual(wanted.channels);
  expect(clean.priors).toEqual(wanted.priors);
});

test("the result of denoise can be written, with the metadata of the file", async () => {
  const { fresh } = await fileFolder();
  const { noisy } = noisyScene(24, 24, 0.1);
  const { width, height, pixels } = noisy;
  const options = { sigma: 0.1, rounds: 1, stride: 4 };
  const path = fresh(".png");
  const made = { bitDepth: 16, metadata: { density: 300 } } as const;
  await writePicture(path, { width, height, channels: [pixels], ...made });
  const picture = await readPicture(path);
  const copy = fresh(".png");
  const clean = await denoise(picture, options);
  expect(clean).toMatchObject({ source: path, bitDepth: 16, sigma: 0.1, isUnchanged: false });
  await writePicture(copy, clean);
  const back = await readPicture(copy);
  expect(back.metadata).toEqual(picture.metadata);
  expect(back.channels[0][0]).toBeCloseTo(Math.min(1, Math.max(0, clean.channels[0][0])), 4);
  // Pixels alone become 8 bits without metadata.
  const plain = await denoise({ width, height, channels: [pixels] }, options);
  expect(await writePicture(copy, plain)).toEqual({ format: "png", bitDepth: 8, notKept: [] });
});

test.each(["noisy.png", undefined, { width: 1, height: 1, pixels: new Float32Array(1) }])(
  "denoise rejects %j in one sentence",
  async (picture) => {
    await expectError(denoise(picture as never), {
      code: "invalid-argument",
      argument: "the picture",
      phrase: "a picture { width, height, channels }",
    });
  },
);
