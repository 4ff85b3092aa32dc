import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import { contours } from "../../paper/contours.js";
import type { ExperimentResult, PaperContext } from "../../paper/experiment.js";
import { mutualInformation } from "../../paper/mutual-information.js";
import { waveletPairs } from "../../paper/parts/wavelet-pairs.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { quickPaperContext, valueNamed } from "../support/paper-context.js";

/** Fits take seconds; others may be at work beside them. */
const timeout = 180_000;

let folder = "";
let context: PaperContext;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-pairs-"));
  const paths: string[] = [];
  for (let k = 0; k < 2; k++) {
    paths.push(join(folder, `${k}.png`));
    const scene = deadLeaves(createRandom(5, "scene", k), { width: 400, height: 120 });
    const pixels = scene.pixels.map((value) => 0.8 * value);
    // A glint: its bin is the highest, and the brightest leaf not in it.
    pixels[0] = 1;
    await writePng(paths[k], { ...scene, pixels });
  }
  // A picture that is white for the most part: a saturated one, which the paper leaves out.
  paths.push(join(folder, "white.png"));
  const pixels = new Float32Array(400 * 120).fill(1).fill(0.3, 0, 4000);
  await writePng(paths[2], { width: 400, height: 120, pixels });
  paths.push(join(folder, "tiny.png"));
  await writePng(paths[3], { width: 9, height: 9, pixels: pixels.slice(0, 81) });
  context = await quickPaperContext(paths);
}, timeout);
afterAll(() => rm(folder, { recursive: true }));

describe("pairs of wavelet coefficients", () => {
  test("come image by image, without saturated and tiny images, reproducibly", async () => {
    const options = { orientations: [1], separations: [3, 200], pairsPerImage: 50 };
    const pairs = await waveletPairs(context, options);
    expect(pairs.images).toBe(2);
    // The saturated one, and one that is smaller than the borders.
    expect(pairs.leftOut).toBe(2);
    expect(pairs.at(1, 200)).toHaveLength(200);
    expect((await waveletPairs(context, options)).at(1, 3)).toEqual(pairs.at(1, 3));
    expect(() => pairs.at(0, 3)).toThrow("no pairs");
  });
});

describe("the experiment on mutual information", () => {
  let result: ExperimentResult;
  beforeAll(async () => {
    result = await mutualInformation.run(context);
  }, timeout);
  const information = (transform: string, separation: number): number =>
    valueNamed(result, `mutual information of ${transform}, separation ${separation}`);

  test("has all transforms at all separations, with standard errors", () => {
    expect(result.numbers).toHaveLength(6 * 5);
    expect(result.numbers[0].dataHash).toMatch(/^sha256:/);
    for (const { standardError } of result.numbers) expect(standardError).toBeGreaterThan(0);
  });

  test("finds that neighbours depend on each other, and that GDN removes it", () => {
    expect(information("raw", 1)).toBeGreaterThan(0.3);
    expect(information("ICA", 1)).toBeLessThan(information("raw", 1) - 0.1);
    expect(information("GDN", 1)).toBeLessThan(information("ICA", 1));
    // Far apart, a rotation has nothing to find.
    expect(Math.abs(information("ICA", 256) - information("raw", 256))).toBeLessThan(0.03);
  });

  test("draws figures for the mean and for each orientation, and tables for both estimators", () => {
    const kinds = result.blocks.map(({ kind }) => kind);
    expect(kinds).toEqual([
      "figures",
      "figures",
      "table",
      "paragraph",
      "table",
      "table",
      "paragraph",
    ]);
  });
});

describe("the experiment on contours", () => {
  test("has the 3×3 panels of the paper, GDN nearest to the histogram", { timeout }, async () => {
    const result = await contours.run(context);
    expect(result.numbers).toHaveLength(9);
    const divergence = (model: string, separation: number): number =>
      valueNamed(result, `KL divergence of pairs from ${model}, separation ${separation}`);
    for (const separation of [2, 16, 128]) {
      expect(divergence("GDN", separation)).toBeLessThan(divergence("ICA-MG", separation));
      expect(divergence("GDN", separation)).toBeLessThan(divergence("RG", separation));
    }
    const [block] = result.blocks;
    const [figure] = block.kind === "figures" ? block.figures : [];
    expect("svg" in figure && figure.svg).toContain("d = 128");
  });
});
