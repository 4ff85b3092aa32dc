/** Pools of low rank, from the fit to everything that can be done with the model. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { readPatchModel } from "../../node/model-files.js";
import { writePicture } from "../../node/pictures/write-picture.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { noisyScene } from "../support/scenes.js";
import { type RecordedEffects, recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;
const modelIn = (name: string): string => join(folder, name, "model.safetensors");

async function gaussianize(
  arguments_: readonly string[],
  effects: RecordedEffects = recordEffects(),
): Promise<{ code: number; stdout: string; stderr: string }> {
  const code = await run(arguments_, effects);
  return { code, ...effects.printed };
}

const quick = ["--patch", "4", "--steps", "60", "--batch", "64", "--workers", "0"];
const fit = (name: string, ...options: string[]) =>
  gaussianize(["fit", images, ...quick, "--pool-rank", "3", ...options, "-o", join(folder, name)]);

beforeAll(async () => {
  folder = await temporaryFolder("low-rank");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
  expect(await fit("run")).toMatchObject({ code: 0, stderr: "" });
});

describe("gaussianize fit --pool-rank", () => {
  test("names the rank in the model", async () => {
    const { transform, about } = await readPatchModel(modelIn("run"));
    expect(stagesOf(transform)[1]).toMatchObject({ kind: "gdn", structure: "low-rank", rank: 3 });
    expect(about.name).toBe("GDN, rank 3");
    expect(about.figures?.negentropyDifferenceInNatsPerPixel).toBeLessThan(-0.3);
    const config = JSON.parse(await readFile(join(folder, "run", "config.json"), "utf8")) as object;
    expect(config).toMatchObject({ model: "gdn", poolRank: 3 });
  });

  test("applies to each of several layers", async () => {
    expect(await fit("stack", "--layers", "2")).toMatchObject({ code: 0 });
    const { transform, about } = await readPatchModel(modelIn("stack"));
    const layers = stagesOf(transform).filter((stage) => stage.kind === "gdn");
    expect(layers.map(({ structure, rank }) => [structure, rank])).toEqual([
      ["low-rank", 3],
      ["low-rank", 3],
    ]);
    expect(about.name).toBe("GDN, rank 3, 2 layers");
  });

  test("resumes after Ctrl-C with the same bytes", async () => {
    const stop = new AbortController();
    const effects = recordEffects();
    const now = (): number => {
      const time = effects.now();
      if (time > 100) stop.abort(Object.assign(new Error("stopped"), { exitCode: 130 }));
      return time;
    };
    const output = join(folder, "stopped");
    const line = ["fit", images, ...quick, "--pool-rank", "3", "-o", output];
    const stopped = await gaussianize(line, { ...effects, now, interruption: () => stop.signal });
    expect(stopped.code).toBe(130);
    const other = await gaussianize(["fit", "-o", output, "--resume", "--pool-rank", "4"]);
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toContain("has --pool-rank 3, but this command says 4");
    const resumed = await gaussianize(["fit", "-o", output, "--resume", "--workers", "1"]);
    expect(resumed).toMatchObject({ code: 0 });
    const [bytes, wanted] = await Promise.all(
      ["stopped", "run"].map((name) => readFile(modelIn(name))),
    );
    expect(Buffer.compare(bytes, wanted)).toBe(0);
  });

  test.each([
    [["--model", "ica-mg"], "--pool-rank is for --model gdn; received --model ica-mg."],
    [["--cascade", "small"], "--pool-rank is for patches; --cascade small fits whole images."],
    [["--pool-rank", "65"], "--pool-rank must be a whole number from 0 to 64"],
    [
      ["--pool-rank", "17", "--patch", "4"],
      "--pool-rank must be at most 16, the dimensions of a patch; received 17.",
    ],
    [
      ["--pool-rank", "16", "--patch", "4", "--remove-mean"],
      "--pool-rank must be at most 15, the dimensions of a patch; received 16.",
    ],
    [
      ["--pool-rank", "64", "--protocol", "bsds63"],
      "--pool-rank must be at most 63, the dimensions of a patch; received 64.",
    ],
    [["--pool-rank", "1.5"], "--pool-rank must be a whole number from 0 to 64"],
  ])("is rejected with %j", async (options, sentence) => {
    const line = ["fit", "--embedded", "--pool-rank", "4", ...options, "-o", join(folder, "new")];
    const { code, stderr } = await gaussianize(line);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });
});

describe("a model of low rank", () => {
  const samples = ["--patches", "500", "--workers", "0"];

  test("is inspected, evaluated, verified, sampled and exported", async () => {
    const model = modelIn("run");
    const npz = join(folder, "model.npz");
    const mosaic = join(folder, "samples.png");
    const ran = await Promise.all([
      gaussianize(["inspect", model]),
      gaussianize(["evaluate", model, images, ...samples]),
      gaussianize(["verify", model, "--workers", "0"]),
      gaussianize(["sample", model, "-o", mosaic, "--workers", "0"]),
      gaussianize(["export", model, "--npz", npz]),
    ]);
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(ran[0].stdout).toMatch(/stage 1: gdn, low-rank 3 .*\n[^]*g +16 [^]*U +48 [^]*V +48 /);
    expect(ran[1].stdout).toContain("nats per patch of 16 dimensions");
    expect(ran[2].stdout).toContain("(gdn, low-rank) is invertible everywhere");
    expect(ran[4].stdout).toMatch(/stages\.1\.gamma +16×16/);
  });

  test("denoises if it was fitted to noisy patches", async () => {
    expect(await fit("noisy", "--noise-level", "25", "--steps", "400")).toMatchObject({ code: 0 });
    const [width, height] = [64, 48];
    const { clean, noisy } = noisyScene(width, height, 25 / 255);
    const pictures = { clean, noisy };
    for (const [name, { pixels }] of Object.entries(pictures)) {
      await writePicture(join(folder, `${name}.png`), {
        width,
        height,
        channels: [pixels],
        alpha: null,
        bitDepth: 8,
        format: "png",
        isLossy: false,
        metadata: {},
        source: "test",
      });
    }
    const { code, stdout } = await gaussianize([
      "denoise",
      join(folder, "noisy.png"),
      "--sigma",
      "25",
      "--model",
      modelIn("noisy"),
      "--reference",
      join(folder, "clean.png"),
      "-o",
      join(folder, "denoised.png"),
      "--workers",
      "0",
      "--json",
    ]);
    expect(code).toBe(0);
    const { images: results } = JSON.parse(stdout) as {
      images: { psnr: number; noisy: { psnr: number } }[];
    };
    expect(results[0].psnr).toBeGreaterThan(results[0].noisy.psnr + 2);
  });
});
