import { mkdir, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { writePng } from "../../../node/figures.js";
import { openImageSet } from "../../../node/image-set.js";
import { writeModel } from "../../../node/model-files.js";
import { densityOf } from "../../../src/density/density-of.js";
import { requireReading } from "../../../src/density/model-files/model-reading.js";
import { evaluate as evaluateDensity } from "../../../src/evaluation/evaluate.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { affine } from "../../../src/transforms/affine.js";
import { commandModels, expectRefusal, modelFolder, runCommand } from "../../support/commands.js";
import { writeImageModels } from "../../support/image-models.js";
import { simdRunner } from "../../support/inline-runners.js";
import { readNpz } from "../../support/python.js";

const { folder, path } = await modelFolder();
const wholeModel = await writeImageModels(folder);
const photo = (k: number): string => path(`photos/${k}.png`);

/** Like `spread`, but of independent pixels; `small` has patches of 2×2 pixels. */
const independent = (side: number, scale: number) => ({
  transform: affine({
    dimension: side ** 2,
    scale: new Float32Array(side ** 2).fill(scale),
    shift: new Float32Array(side ** 2).fill(-scale / 2),
  }),
  about: {
    patch: { width: side, height: side },
    preprocessing: { dequantization: "uniform" as const },
  },
});

beforeAll(async () => {
  await writeModel(path("plain.safetensors"), independent(4, 4));
  await writeModel(path("small.safetensors"), independent(2, 4));
  await mkdir(path("photos"));
  for (const k of [1, 2, 3]) {
    const scene = deadLeaves(createRandom(k, "scene"), { width: 16 + k, height: 13 });
    await writePng(photo(k), scene);
  }
});

const evaluate = (...words: readonly string[]) =>
  runCommand("evaluate", ...words, "--workers", "0");
const plain = path("plain.safetensors");
const small = path("small.safetensors");
const spread = path("spread");

interface Compared {
  readonly models: readonly { model: string; bitsPerPixel: number; meanLogLikelihood: number }[];
  readonly samePatches: boolean;
  readonly differences: readonly Record<string, unknown>[];
}

async function json<T>(...words: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await evaluate(...words, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

describe("gaussianize evaluate with several models", () => {
  const words = [path("photos"), "--patches", "60", "--seed", "3"];

  test("gives each model its own result, and the differences of the means", async () => {
    const both = await json<Compared>(spread, plain, ...words);
    expect(both).toMatchObject({ samePatches: true, seed: 3, skipped: [] });
    const alone = await Promise.all([spread, plain].map((model) => json(model, ...words)));
    expect(both.models).toEqual(
      alone.map((result) => {
        const { seed, skipped, ...rest } = result as Record<string, unknown>;
        expect([seed, skipped]).toEqual([3, []]);
        return rest;
      }),
    );
    const [difference] = both.differences as { meanLogLikelihood: number; bitsPerPixel: number }[];
    expect(difference).toMatchObject({
      model: plain,
      baseline: spread,
      standardErrorsOver: "images",
      compared: 60,
    });
    const [a, b] = both.models;
    expect(difference.meanLogLikelihood).toBeCloseTo(b.meanLogLikelihood - a.meanLogLikelihood, 9);
    expect(difference.bitsPerPixel).toBeCloseTo(b.bitsPerPixel - a.bitsPerPixel, 9);
  });

  test("finds a difference of 0 ± 0 between two forms of one density", async () => {
    // y has the other sign.
    const { transform, about } = independent(4, 4);
    const mirrored = affine({
      dimension: 16,
      scale: transform.scale.map((value) => -value),
      shift: transform.shift.map((value) => -value),
    });
    await writeModel(path("mirrored.safetensors"), { transform: mirrored, about });
    const words = [plain, path("mirrored.safetensors"), photo(1), "--grid"];
    const { differences } = await json<Compared>(...words);
    expect(differences[0]).toMatchObject({
      meanLogLikelihood: 0,
      standardErrors: { meanLogLikelihood: 0, bitsPerPixel: 0 },
      standardErrorsOver: "patches",
      compared: 12,
    });
  });

  test("prints a row for each model and for each difference from the first", async () => {
    const { code, stdout, stderr } = await evaluate(spread, ...words, plain);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const number = String.raw` +−?\d+\.\d+ ± \d+\.\d+`;
    const lines = stdout.replaceAll(folder, "").split("\n");
    expect(lines[0]).toMatch(/^model +log-likelihood +log-likelihood +code length +ΔJ$/);
    expect(lines[1]).toMatch(/^ +nats per patch +bits per pixel +bits per pixel +nats per pixel$/);
    expect(lines[2]).toMatch(new RegExp(`^/spread.safetensors${number.repeat(4)}$`));
    expect(lines[3]).toMatch(new RegExp(`^/plain.safetensors${number.repeat(4)}$`));
    expect(lines.slice(4, 6)).toEqual(["", "difference from /spread.safetensors"]);
    expect(lines[6]).toMatch(new RegExp(`^/plain.safetensors${number.repeat(2)}$`));
    expect(stdout).toContain("60 patches at random places (seed 3) of 3 images; ± standard errors");
    expect(stdout).toContain("Differences are taken patch by patch.");
    const withoutCodes = await evaluate(path("gdn"), path("linear"), ...words);
    expect(withoutCodes.stdout).not.toContain("code length");
  });

  test("compares patches of different sizes in bits per pixel, image by image", async () => {
    const found = await json<Compared>(plain, small, ...words);
    expect(found.samePatches).toBe(false);
    expect(found.differences[0]).toMatchObject({
      meanLogLikelihood: null,
      standardErrorsOver: "images",
      compared: 3,
    });
    const [a, b] = found.models;
    expect(found.differences[0].bitsPerPixel).toBeCloseTo(b.bitsPerPixel - a.bitsPerPixel, 9);
    const { stdout } = await evaluate(plain, small, ...words);
    expect(stdout).not.toContain("nats per patch");
    expect(stdout.replace(/\n {2}/g, " ")).toContain(
      "The models are densities of 4×4 patches and of 2×2 patches, evaluated on 3 images: only bits per pixel can be compared.",
    );
  });

  test("compares whole images with each other and with patches", async () => {
    const images = wholeModel("images");
    const whole = await json<Compared>(images, images, path("photos"));
    expect(whole.samePatches).toBe(true);
    expect(whole.differences[0]).toMatchObject({ bitsPerPixel: 0, compared: 3 });
    const mixed = await evaluate(images, plain, ...words);
    expect(mixed.code).toBe(0);
    expect(mixed.stdout).toContain("densities of whole images and of 4×4 patches");
  });

  test.each([
    ["gdn", "(grey values, dequantised; grey values, not dequantised)"],
    ["centred", "(grey values, dequantised; grey values, dequantised, mean removed)"],
  ])("rejects densities of different values: %s", async (other, values) => {
    const ran = await evaluate(spread, path(other), ...words);
    const sentence = `${spread} and ${path(other)} cannot be compared: they are densities of different values ${values}.`;
    expectRefusal(ran, 2, sentence);
  });

  test("rejects models without images, and a further model that is not one", async () => {
    const sentence = (first: string): string =>
      `No images to evaluate: the first argument, ${first}, and names that end in .safetensors are models.`;
    expectRefusal(await evaluate(spread, plain), 2, sentence(spread));
    expectRefusal(await evaluate(path("photos"), plain), 2, sentence(path("photos")));
    const missing = path("missing.safetensors");
    expectRefusal(await evaluate(spread, missing, photo(1)), 1, `Cannot read ${missing}`);
  });
});

describe("gaussianize evaluate --npz", () => {
  test("writes log p of every patch, its position, and names", async () => {
    const file = path("scores.npz");
    const words = [photo(1), photo(2), "--patches", "9", "--seed", "2", "--npz", file];
    const { code, stderr } = await evaluate(spread, plain, ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Wrote ${file}: log p of 9 patches.\n` });
    const arrays = readNpz(await readFile(file));
    expect(JSON.parse(arrays.images.text)).toEqual([photo(1), photo(2)]);
    expect(JSON.parse(arrays.models.text)).toEqual([spread, plain]);
    expect(arrays.log_prob.shape).toEqual([9, 2]);
    // The same by the library.
    const set = await openImageSet([photo(1), photo(2)], requireReading(commandModels.spread), {
      seed: 2,
    });
    const rows: number[][] = [];
    await evaluateDensity(densityOf(commandModels.spread, simdRunner), set, {
      patches: 9,
      patchesAtOnce: 2,
      seed: 2,
      onScores: ({ index, x, y, width, height, logProb }) => {
        logProb.forEach((value, k) => rows.push([value, index, x[k], y[k], width, height]));
      },
    });
    const { log_prob: logProb, image, x, y, width, height } = arrays;
    const columns = [image, x, y, width, height].map(({ values }) => values as number[]);
    const written = columns[0].map((_, k) => [
      (logProb.values as number[])[2 * k],
      ...columns.map((column) => column[k]),
    ]);
    expect(written).toEqual(rows);
  });

  test("writes the positions of the patches that log p belongs to", async () => {
    const scores: { x: number; y: number; value: number }[] = [];
    const pixels = Float32Array.from({ length: 7 * 5 }, (_, k) => k / 35);
    const load = () => Promise.resolve({ width: 7, height: 5, pixels });
    const density = densityOf(independent(2, 1), simdRunner);
    await evaluateDensity(
      density,
      { images: 1, load },
      {
        patches: 6,
        onScores: ({ x, y, logProb }) => {
          logProb.forEach((value, k) => scores.push({ x: x[k], y: y[k], value }));
        },
      },
    );
    for (const { x, y, value } of scores) {
      const patch = [0, 1, 7, 8].map((offset) => pixels[7 * y + x + offset] - 0.5);
      const energy = patch.reduce((sum, v) => sum + v ** 2 / 2, 0);
      expect(value).toBeCloseTo(-energy - 2 * Math.log(2 * Math.PI), 5);
    }
    expect(scores).toHaveLength(6);
  });

  test("writes log p of whole images", async () => {
    const file = path("whole.npz");
    const { code, stderr } = await evaluate(wholeModel("images"), path("photos"), "--npz", file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Wrote ${file}: log p of 3 images.\n` });
    const { log_prob: logProb, ...arrays } = readNpz(await readFile(file));
    expect(logProb.shape).toEqual([3, 1]);
    // The middle 16×12 pixels of 17×13, 18×13 and 19×13.
    expect(arrays.x.values).toEqual([0, 1, 1]);
    expect(arrays.y.values).toEqual([0, 0, 0]);
    expect(arrays.width.values).toEqual([16, 16, 16]);
    expect(arrays.height.values).toEqual([12, 12, 12]);
  });

  test("rejects patches of different sizes, wrong names, and the model itself", async () => {
    const file = path("none.npz");
    const sizes = await evaluate(plain, small, photo(1), "--npz", file);
    expectRefusal(sizes, 2, "--npz needs models with patches of the same size");
    expectRefusal(await evaluate(plain, photo(1), "--npz", "x.txt"), 2, "ends in .npz");
    const nowhere = await evaluate(plain, photo(1), "--npz", path("nowhere/x.npz"));
    expectRefusal(nowhere, 1, `Cannot write ${path("nowhere/x.npz")}: there is no folder`);
  });
});
