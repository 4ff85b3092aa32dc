import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoModels } from "../../cli/demo/fits.js";
import { readPatchModel } from "../../node/model-files.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { expectRefusal, runCommand, runProcess } from "../support/commands.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-demo-"));
});
afterAll(() => rm(folder, { recursive: true }));

const steps = 30;
/** Results of a demo with this number of steps. */
const recorded = { icaMg: -2.4221, rg: -2.4258, gdn: -2.43, psnrDenoised: 24.0 };

interface DemoResult {
  readonly seed: number;
  readonly steps: number;
  readonly results: readonly {
    readonly model: string;
    readonly negentropyDifferencePerPixel: number;
    readonly standardError: number;
    readonly meanLogLikelihood: number;
    readonly codeLengthInBitsPerPixel: number;
    readonly seconds: number;
  }[];
  readonly denoising: { sigma: number; psnrNoisy: number; psnrDenoised: number };
  readonly report: string;
}

/** A short run with everything it can write: what it printed, and the files. */
async function shortRun() {
  const [report, model] = ["demo.html", "demo.safetensors"].map((name) => join(folder, name));
  const ran = await runProcess(
    ...["demo", "--json", "--steps", String(steps), "--workers", "2"],
    ...["-o", report, "--save", model],
  );
  expect(ran.code, ran.stderr).toBe(0);
  return { result: JSON.parse(ran.stdout) as DemoResult, report, model };
}

describe("gaussianize demo", { timeout: 180_000 }, () => {
  let one: Awaited<ReturnType<typeof shortRun>>;
  beforeAll(async () => {
    one = await shortRun();
  }, 180_000);

  test("compares three densities on a photograph, and denoises it", () => {
    const { results, denoising, ...rest } = one.result;
    expect(rest).toEqual({ seed: 1, steps, testPatches: 20_000, report: one.report });
    expect(results.map(({ model }) => model)).toEqual(["ICA-MG", "RG", "GDN"]);
    for (const {
      negentropyDifferencePerPixel,
      standardError,
      codeLengthInBitsPerPixel,
    } of results) {
      expect(negentropyDifferencePerPixel).toBeLessThan(-2);
      expect(standardError).toBeGreaterThan(0.001);
      expect(standardError).toBeLessThan(0.03);
      expect(codeLengthInBitsPerPixel).toBeLessThan(6);
    }
    // 20 log₁₀(255/25), within what 384² values of noise make of it.
    expect(denoising.psnrNoisy).toBeCloseTo(20.17, 1);
    expect(denoising.psnrDenoised).toBeGreaterThan(denoising.psnrNoisy + 3);
  });

  test("writes a report with all sections as one file", async () => {
    const whole = await readFile(one.report, "utf8");
    // Without the bytes of the pictures: any word may be in them, and a failure would print all of
    // them.
    const page = whole.replace(/base64,[^"]*/g, "base64,");
    expect(page.match(/(src|href)="(?!data:|https:\/\/arxiv\.org)[^"]*/g)).toBeNull();
    const titles = [...page.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles).toHaveLength(8);
    // Photographs, two mosaics of filters, two matrices, four of samples, four pictures of
    // denoising and a close-up.
    expect(page.match(/<img /g)).toHaveLength(14);
    expect(page.match(/<svg /g)).toHaveLength(3);
    expect(page.match(/.{30}(NaN|undefined|Infinity)/g)).toBeNull();
    for (const { negentropyDifferencePerPixel } of one.result.results) {
      expect(page).toContain(negentropyDifferencePerPixel.toFixed(2).replace("-", "−"));
    }
    // After so few steps no filter of the GDN has a clear orientation.
    expect(/Filters with a clear orientation.*? More steps/.exec(page)?.[0]).toMatch(
      /: \d+ of 64 in ICA-MG, 0 of 64 in GDN\. More steps$/,
    );
    expect(/Steps of each fit: [^.]*/.exec(page)?.[0]).toContain("ICA-MG 30, RG 8, GDN 30");
    expect(/npx gaussianize demo [^#]*/.exec(page)?.[0]).toContain(
      "--steps 30 --seed 1 --save gdn.safetensors",
    );
    for (const name of ["Karl Blossfeldt", "Dorothea Lange", "Felice Beato", "CC0"]) {
      expect(page).toContain(name);
    }
  });

  test("saves the GDN with its curve and origin for the other commands", async () => {
    const { transform, about } = await readPatchModel(one.model);
    expect(stagesOf(transform).map(({ kind }) => kind)).toEqual(["pointwise", "gdn"]);
    const [, , gdn] = one.result.results;
    expect(about).toMatchObject({
      name: "GDN",
      patch: { width: 8, height: 8, luminance: "linear", black: 0, white: 1 },
      preprocessing: { dequantization: "uniform", stages: 1 },
      data: { trainingImages: 7, evaluatedOn: "nagasaki-boats" },
      seed: 1,
      training: { steps, batch: 512 },
      figures: { negentropyDifferenceInNatsPerPixel: gdn.negentropyDifferencePerPixel },
    });
    const { stdout } = await runCommand(
      "sample",
      one.model,
      "-n",
      "20",
      "--json",
      "--workers",
      "0",
    );
    const { x } = JSON.parse(stdout) as { x: number[][] };
    for (const value of x.flat()) expect(Math.abs(value - 0.5)).toBeLessThan(1);
    expect((await runCommand("inspect", one.model)).stdout).toMatch(
      /^ΔJ +−2\.\d+ nats per pixel$/m,
    );
  });

  // The README shows a run of two minutes. Numbers do not depend on the machine: as long as these,
  // of a second, stay as they are, so do those. Where they change, run the demo and write what it
  // prints into both.
  test("still makes the fits that the README shows", async () => {
    const readme = await readFile("README.md", "utf8");
    for (const { about } of demoModels) expect(readme).toContain(`…  ${about}\n`);
    for (const { model } of one.result.results) {
      expect(readme).toMatch(new RegExp(`^${model} +−2\\.\\d{4} ± 0\\.\\d{4} `, "m"));
    }
    const [icaMg, rg, gdn] = one.result.results;
    expect(icaMg.negentropyDifferencePerPixel).toBeCloseTo(recorded.icaMg, 2);
    expect(rg.negentropyDifferencePerPixel).toBeCloseTo(recorded.rg, 2);
    expect(gdn.negentropyDifferencePerPixel).toBeCloseTo(recorded.gdn, 2);
    expect(one.result.denoising.psnrDenoised).toBeCloseTo(recorded.psnrDenoised, 1);
  });

  test.each([
    [["--steps", "0"], "--steps"],
    [["--steps", "1e3"], "--steps"],
    [["--seed", "-1"], "--seed"],
    [["--sed", "3"], "--seed"],
    [["nonsense"], "too many arguments"],
    [["-o", ""], "--output"],
    [["-o", "a.png"], "--output must be a file name that ends in .html"],
    [["-o", "a.html", "-o", "b.html"], "--output must be given once"],
    [["--save", "a.png"], "--save must be a file name that ends in .safetensors"],
    [["--save", ""], "--save must be"],
    [["--save"], "argument missing"],
    [["--workers", "9999"], "--workers"],
  ])("rejects %j with exit code 2 and names the option", async (flags, name) => {
    expectRefusal(await runCommand("demo", ...flags), 2, name);
  });

  test.each([
    ["-o", "missing/demo.html"],
    ["--save", "missing/gdn.safetensors"],
    ["--save", "folder.safetensors"],
  ])("rejects %s %s, which cannot be written, at once", async (flag, name) => {
    await mkdir(join(folder, "folder.safetensors"), { recursive: true });
    const file = join(folder, name);
    expectRefusal(await runCommand("demo", flag, file), 1, file);
  });
});
