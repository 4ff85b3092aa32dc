import { mkdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import { openImageSet } from "../../node/image-set.js";
import { writeModel } from "../../node/model-files.js";
import { densityOf } from "../../src/density/density-of.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { evaluate as evaluateDensity } from "../../src/evaluation/evaluate.js";
import type { Evaluation, Likelihood } from "../../src/evaluation/evaluation.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { commandModels, expectRefusal, modelFolder, runCommand } from "../support/commands.js";
import { simdRunner } from "../support/inline-runners.js";

const { path } = await modelFolder();
const photo = (k: number): string => path(`photos/${k}.png`);

/** Two components that pool each other so steeply that large ones have no density. */
const steep = gdn({
  structure: "general",
  dimension: 4,
  alpha: [1, 3, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  beta: [1, 1, 1, 1],
  gamma: [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  epsilon: [0.5, 0.5, 0.5, 0.5],
});

beforeAll(async () => {
  await writeModel(path("steep"), {
    transform: cascade([affine({ dimension: 4, scale: [3, 3, 3, 3] }), steep]),
    about: { patch: { width: 2, height: 2 } },
  });
  await mkdir(path("photos"));
  for (let k = 1; k <= 8; k++) {
    const scene = deadLeaves(createRandom(k, "scene"), { width: 30 + k, height: 20 });
    await writePng(photo(k), scene);
  }
  const constant = { width: 12, height: 12, pixels: new Float32Array(144).fill(0.5) };
  await writePng(path("constant.png"), constant);
  await writePng(path("small.png"), { width: 3, height: 50, pixels: new Float32Array(150) });
  const noise = createRandom(1, "noise").uniformFill(new Float32Array(6400));
  await writePng(path("whole.png"), { width: 80, height: 80, pixels: noise });
  const whole = await sharp(path("whole.png")).png().toBuffer();
  await writeFile(path("cut.png"), whole.subarray(0, whole.length / 2));
});

const evaluate = (...words: readonly string[]) =>
  runCommand("evaluate", ...words, "--workers", "0");

interface Result extends ReturnType<typeof named> {
  readonly dimension: number;
  readonly standardErrors: Evaluation["standardErrors"];
  readonly model: string;
  readonly seed: number;
  readonly images: readonly ({ path: string } & ReturnType<typeof named>)[];
  readonly skipped: readonly { path: string; reason: string }[];
}

/** Under the names of --json. */
function named({ samples, failedSamples, ...likelihood }: Likelihood) {
  const { meanLogLikelihood, natsPerDimension, bitsPerPixel } = likelihood;
  const { codeLengthInBitsPerPixel, negentropyDifferencePerDimension } = likelihood;
  return {
    patches: samples,
    failedPatches: failedSamples,
    meanLogLikelihood,
    natsPerDimension,
    bitsPerPixel,
    codeLengthInBitsPerPixel,
    negentropyDifferencePerDimension,
  };
}

async function json(...words: readonly string[]): Promise<Result> {
  const { code, stdout, stderr } = await evaluate(...words, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Result;
}

/** Returns the same evaluation by the library. */
async function byLibrary(
  name: "gdn" | "spread" | "centred",
  paths: readonly string[],
  choice: { patches: number; seed: number },
): Promise<Evaluation> {
  const set = await openImageSet(paths, requireReading(commandModels[name]), choice);
  const nameOf = (index: number) => basename(paths[index]);
  const source = { images: paths, load: set.load, nameOf };
  return evaluateDensity(densityOf(commandModels[name], simdRunner), source, choice);
}

describe("gaussianize evaluate", () => {
  test.each(["gdn", "spread", "centred"] as const)(
    "--json of %s has what the library gives",
    async (name) => {
      const paths = [photo(1), photo(2), photo(3)];
      const choice = { patches: 100, seed: 4 };
      const { images, ...totals } = await byLibrary(name, paths, choice);
      const { dimension, dequantization, preprocessingStages, standardErrorsOver } = totals;
      const { meanLogLikelihood, bitsPerPixel, ...errors } = totals.standardErrors;
      const { codeLengthInBitsPerPixel, negentropyDifferencePerDimension } = errors;
      const found = await json(path(name), ...paths, "--patches", "100", "--seed", "4");
      expect(found).toEqual({
        model: path(name),
        dimension,
        dequantization,
        preprocessingStages,
        ...named(totals),
        standardErrors: {
          meanLogLikelihood,
          bitsPerPixel,
          codeLengthInBitsPerPixel,
          negentropyDifferencePerDimension,
        },
        standardErrorsOver,
        seed: 4,
        images: images.map((image) => ({ path: paths[image.index], ...named(image) })),
        skipped: [],
      });
      expect(found).toMatchObject({
        dimension: name === "centred" ? 15 : 16,
        dequantization: name === "gdn" ? "none" : "uniform",
        patches: 100,
        failedPatches: 0,
        standardErrorsOver: "images",
      });
      expect(found.codeLengthInBitsPerPixel !== null).toBe(name === "spread");
    },
  );

  test("prints totals with errors and units, and the most and least likely images", async () => {
    const { code, stdout, stderr } = await evaluate(path("spread"), path("photos"));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")[0]).toBe(`${path("spread")}: spread, 4×4 patches`);
    const number = String.raw`−?\d+\.\d+ ± \d+\.\d+`;
    for (const line of [
      `log-likelihood +${number}  nats per patch of 16 dimensions`,
      ` +${number}  nats per pixel`,
      ` +${number}  bits per pixel, for values from 0 to 1; higher is better`,
      `code length +${number}  bits per pixel, of a lossless code; lower is better`,
      `ΔJ +${number}  nats per pixel, relative to the preprocessed pixels; lower is better`,
    ]) {
      expect(stdout).toMatch(new RegExp(`^${line}$`, "m"));
    }
    expect(stdout).toContain(
      "Dequantisation: uniform noise of one grey level.\n" +
        "100,000 patches at random places (seed 1) of 8 images; ± standard errors over images.\n",
    );
    expect(stdout).toMatch(
      /^Most likely, log-likelihood in bits per pixel:\n( +−?\d+\.\d{3} {2}.*\.png\n){3}/m,
    );
    expect(stdout).toMatch(/^Least likely:\n( +−?\d+\.\d{3} {2}.*\.png\n){3}$/m);
    const shown = [...stdout.matchAll(/^ +(−?\d+\.\d{3}) {2}.*\.png$/gm)];
    const values = shown.map(([, text]) => Number(text.replace("−", "-")));
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  test("lists all images if they are few, and a single one not at all", async () => {
    const { stdout } = await evaluate(path("gdn"), photo(1), photo(2), "--patches", "50");
    expect(stdout).toContain(
      "Log-likelihood in bits per pixel, from the most to the least likely image:\n",
    );
    expect(stdout).toContain(
      "Dequantisation: none, so the likelihood says nothing about a picture's codes.",
    );
    expect(stdout).not.toContain("code length");
    expect(stdout).toMatch(/^ΔJ .* nats per pixel, relative to the pixels; lower is better$/m);
    const one = await evaluate(path("gdn"), photo(1), "--patches", "50");
    expect(one.stdout).toMatch(/of 1 image; ± standard errors over patches\.\n$/);
    const single = await evaluate(path("gdn"), photo(1), "--patches", "1");
    expect(single.stdout).toContain("\n1 patch at random places (seed 1) of 1 image");
  });

  test.each([
    ["--grid", 7 * 5 + 8 * 5],
    ["--grid=1", 28 * 17 + 29 * 17],
    ["--grid=30", 2],
  ])("%s evaluates %i patches", async (flag, patches) => {
    const result = await json(path("gdn"), photo(1), photo(2), flag);
    expect(result.patches).toBe(patches);
    const { stdout } = await evaluate(path("gdn"), photo(1), photo(2), flag);
    expect(stdout).toContain(`${patches} patches on a grid of 2 images`);
  });

  test("places depend on the seed, not on other images", async () => {
    const of = async (...words: string[]) =>
      (await json(path("gdn"), ...words, "--seed", "3")).images;
    const alone = await of(photo(1), "--patches", "20");
    const both = await of(photo(1), photo(2), "--patches", "40");
    expect(both[0]).toEqual(alone[0]);
    const other = await json(path("gdn"), photo(1), "--patches", "20", "--seed", "4");
    expect(other.images[0].meanLogLikelihood).not.toBe(alone[0].meanLogLikelihood);
  });

  test("evaluates constant images like any other", async () => {
    const result = await json(path("centred"), path("constant.png"), "--patches", "100");
    expect(result.failedPatches).toBe(0);
    expect(result.bitsPerPixel).toBeGreaterThan(0);
    const plain = await json(path("gdn"), path("constant.png"), "--patches", "100");
    expect(plain.standardErrors.meanLogLikelihood).toBeCloseTo(0, 9);
  });

  test("skips unusable images, and names them on stderr", async () => {
    const bad = ["small.png", "cut.png"].map(path);
    const { code, stdout, stderr } = await evaluate(path("gdn"), photo(1), ...bad, "--json");
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Skipped 2 images:\n {2}\S+small\.png is 3×50 pixels, smaller than the 4×4 patches\.\n {2}Cannot read \S+cut\.png as a picture: .*\n$/,
    );
    const result = JSON.parse(stdout) as Result;
    expect(result.images.map((image) => image.path)).toEqual([photo(1)]);
    expect(result.skipped.map((skipped) => skipped.path)).toEqual(bad);
    expect(result.skipped[0].reason).toContain("3×50 pixels");
  });

  test("exits with code 1, after the result, if patches have no density", async () => {
    const { code, stdout, stderr } = await evaluate(path("steep"), photo(1), "--grid", "--json");
    expect(code).toBe(1);
    const { patches, failedPatches, meanLogLikelihood } = JSON.parse(stdout) as Result;
    expect(failedPatches).toBeGreaterThan(0);
    expect(failedPatches).toBeLessThan(patches);
    expect(meanLogLikelihood).not.toBeNull();
    expect(stderr).toBe(
      `gaussianize evaluate: ${path("steep")} has no density at ${failedPatches} of ${patches} patches; the means do not include these (see "gaussianize verify").\n`,
    );
  });
});

describe("gaussianize evaluate rejects", () => {
  test.each([
    [["scene.png", "--patches", "0"], 2, "--patches must be a whole number of at least 1"],
    [["scene.png", "--patches", "1e6"], 2, 'received "1e6"'],
    [["scene.png", "--grid=0"], 2, "--grid must be a whole number of at least 1"],
    [
      ["--grid", "scene.png"],
      2,
      "--grid must be a whole number of at least 1, in digits; received",
    ],
    [["scene.png", "--grid", "--patches", "5"], 2, "cannot be used with option '--patches <n>'"],
    [["scene.png", "--seed", "x"], 2, "--seed must be a whole number of at least 0"],
    [["scene.png", "--patchs", "5"], 2, "Did you mean --patches?"],
    [[], 2, "missing required argument 'images'"],
    [[""], 2, "the argument images must be the name of a file"],
    [["nothing-there.png"], 1, "nothing-there.png"],
  ] as const)("%j with code %i", async (words, code, what) => {
    expectRefusal(await evaluate(path("gdn"), ...words), code, what);
  });

  test("files that are not models, or do not exist", async () => {
    const ran = await evaluate(photo(1), photo(1));
    expectRefusal(ran, 1, photo(1));
    expectRefusal(await evaluate(path("missing"), photo(1)), 1, path("missing"));
    expectRefusal(await evaluate("", photo(1)), 2, "the argument model must be the name of a file");
    expectRefusal(await evaluate(), 2, "missing required argument 'model'");
  });

  test("a set without a usable image, and with --strict any unusable image", async () => {
    const [small, cut] = ["small.png", "cut.png"].map(path);
    const tooSmall = `${small} is 3×50 pixels, smaller than the 4×4 patches.`;
    expectRefusal(await evaluate(path("gdn"), small), 1, tooSmall);
    expectRefusal(await evaluate(path("gdn"), cut), 1, `Cannot read ${cut} as a picture`);
    expectRefusal(await evaluate(path("gdn"), photo(1), small, "--strict"), 1, tooSmall);
    const strict = await evaluate(path("gdn"), photo(1), cut, "--strict");
    expectRefusal(strict, 1, `Cannot read ${cut} as a picture`);
  });

  test.each(["noPatch", "oblong", "radial"])("%s, which has no square patch", async (model) => {
    const n = model === "radial" ? 3 : 16;
    expectRefusal(
      await evaluate(path(model), photo(1)),
      1,
      `Expected ${path(model)} to say how its ${n} dimensions form a square patch, but its file does not.`,
    );
  });
});
