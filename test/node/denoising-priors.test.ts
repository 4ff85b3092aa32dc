import { readFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { describe, expect, test } from "vitest";
import { denoisingPriors, nearestPrior } from "../../node/denoising-priors.js";
import { readGuided, readPatchModel } from "../../node/model-files.js";
import { readingOf } from "../../src/density/model-files/model-reading.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { refusal, sentenceOf } from "../support/expect-error.js";

const families = [
  { family: "gdn", structure: "column", priors: await denoisingPriors() },
  { family: "ica-mg", structure: "marginal", priors: await denoisingPriors("ica-mg") },
] as const;

describe.each(families)("denoisingPriors of $family", ({ family, structure, priors }) => {
  test("are those of that family", async () => {
    expect(await denoisingPriors(family)).toEqual(priors);
    for (const { sigma, path } of priors) {
      expect(basename(path)).toBe(`${family}-${sigma}.safetensors`);
      const stages = stagesOf((await readPatchModel(path)).transform);
      expect(stages.at(-1)).toMatchObject({ kind: "gdn", structure });
    }
  });

  test("are there, the least noise first, and are packed", () => {
    expect(priors.length).toBeGreaterThan(0);
    const levels = priors.map(({ sigma }) => sigma);
    expect(levels).toEqual([...new Set(levels)].sort((a, b) => a - b));
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[] };
    expect(files).toContain("priors");
  });

  test.each(priors)("$sigma was fitted to patches with as much noise", async ({ sigma, path }) => {
    expect(isAbsolute(path)).toBe(true);
    const reading = readingOf(await readPatchModel(path));
    expect(reading?.luminance).toBe("grey");
    expect(reading?.layout.removeMean).toBe(false);
    expect(255 * (reading?.noiseLevel ?? 0)).toBeCloseTo(sigma, 9);
  });
});

describe.each(families)("nearestPrior of $family", ({ family, priors }) => {
  test.each([0.01, 1, 4, 14.43, 19.36, 25, 37, 60, 255, 1e6])(
    "of %d has the least ratio",
    async (sigma) => {
      const ratio = (other: number): number => Math.max(other / sigma, sigma / other);
      const best = Math.min(...priors.map((prior) => ratio(prior.sigma)));
      expect(ratio((await nearestPrior(sigma, family)).sigma)).toBe(best);
    },
  );

  test.each([0, -1, NaN, Infinity])("refuses %d", async (sigma) => {
    expect(await sentenceOf(nearestPrior(sigma, family))).toBe(
      refusal("sigma", "be a positive number", sigma),
    );
  });
});

test("refuses families that do not come with the package", async () => {
  const sentence = refusal("family", "be one of gdn, ica-mg, guided", "rg");
  expect(await sentenceOf(denoisingPriors("rg" as "gdn"))).toBe(sentence);
  expect(await sentenceOf(nearestPrior(25, "rg" as "gdn"))).toBe(sentence);
});

test("densities of a second look were fitted with as much noise as their names say", async () => {
  const guided = await denoisingPriors("guided");
  expect(guided.length).toBeGreaterThan(0);
  for (const { sigma, path } of guided) {
    const { guided: densities, about } = await readGuided(path);
    expect(255 * densities.noiseLevel).toBeCloseTo(sigma, 9);
    expect(densities.size).toBe(8);
    expect(about.name).toBe(`Guided GDN, σ = ${sigma}`);
  }
});
