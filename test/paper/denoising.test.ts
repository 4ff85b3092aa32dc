import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { writePng } from "../../node/figures.js";
import { denoising } from "../../paper/denoising.js";
import type { ExperimentResult } from "../../paper/experiment.js";
import { quickPaperContext, valueNamed } from "../support/paper-context.js";

let folder = "";
let result: ExperimentResult;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-denoising-"));
  const paths: string[] = [];
  // Corners of two photographs: enough to see who is better.
  for (const [k, { path }] of embeddedPhotographs().slice(0, 2).entries()) {
    const { width, pixels } = await decodeImage(path, "grey");
    const corner = Float32Array.from(
      { length: 120 * 96 },
      (_, at) => pixels[(200 + Math.floor(at / 120)) * width + 200 + (at % 120)],
    );
    paths.push(join(folder, `${k}.png`));
    await writePng(paths[k], { width: 120, height: 96, pixels: corner });
  }
  const context = await quickPaperContext(paths);
  result = await denoising.run(context);
});
afterAll(() => rm(folder, { recursive: true }));

const valueOf = (name: string): number => valueNamed(result, name);

describe("the experiment on denoising", () => {
  test("has PSNR and SSIM of all methods at the noise of the figure and at σ = 25", () => {
    expect(result.numbers).toHaveLength(16);
    expect(result.numbers.map(({ paper }) => paper).filter((value) => value !== null)).toEqual([
      20.6, 0.68, 22.4, 0.75, 22.6, 0.78,
    ]);
    for (const { name, fit } of result.numbers) {
      expect(fit?.dataHash ?? "none").toMatch(name.includes("GDN") ? /^sha256:/ : /^none$/);
      if (fit) expect(fit.seconds).toBeGreaterThan(0);
    }
  });

  test("finds the noise at which the marginal model has the decibels of the paper", () => {
    const [{ name, value }] = result.numbers;
    expect(name).toMatch(/^PSNR of marginal, picture of the figure, σ = \d+$/);
    expect(Math.abs(value - 20.6)).toBeLessThan(0.2);
  });

  test("finds the order of the paper", () => {
    for (const measure of ["PSNR", "SSIM"]) {
      const [marginal, gsm, gdn, twice] = ["marginal", "GSM", "GDN", "GDN, three rounds"].map(
        (method) => valueOf(`${measure} of ${method}, σ = 25`),
      );
      expect(marginal).toBeLessThan(gsm);
      expect(gsm).toBeLessThan(gdn);
      expect(gdn).toBeLessThan(twice);
    }
  });
});
