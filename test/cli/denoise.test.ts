import { mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { denoisingPriors, nearestPrior } from "../../node/denoising-priors.js";
import type { Picture } from "../../node/pictures/picture.js";
import { readPicture } from "../../node/pictures/read-picture.js";
import { writePicture } from "../../node/pictures/write-picture.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  expectRefusal,
  modelFolder,
  runCommand,
  runProcess,
  recordEffects,
} from "../support/commands.js";
import { noisyScene } from "../support/scenes.js";
import { temporaryFolder } from "../support/folders.js";
import { seed } from "../support/seed.js";
import { tiffBytes } from "../support/picture-bytes.js";

const folder = await temporaryFolder("denoise");
const path = (...names: readonly string[]): string => join(folder, ...names);
const models = await modelFolder();

const [width, height] = [64, 48];
const sigma = 25 / 255;
const { clean, noisy } = noisyScene(width, height, sigma);
const noise = (k: number): Float32Array =>
  createRandom(seed, "colour noise", k).normalFill(new Float32Array(width * height));

const jpegNoise = createRandom(seed, "noise before JPEG").normalFill(new Float32Array(3 * 96 * 96));

/** Greenish, with a different contrast in each channel. */
const cleanColours = [0.5, 1, 0.8].map((factor) => clean.pixels.map((value) => factor * value));
const noisyColours = cleanColours.map((pixels, k) => {
  const own = noise(k);
  return pixels.map((value, p) => value + sigma * own[p]);
});

const pictureOf = (channels: readonly Float32Array[], other: Partial<Picture> = {}): Picture => ({
  width,
  height,
  channels,
  alpha: null,
  bitDepth: 8,
  format: "png",
  isLossy: false,
  metadata: {},
  source: "test",
  ...other,
});

await Promise.all([
  writePicture(path("clean.png"), pictureOf([clean.pixels])),
  writePicture(path("grey.png"), pictureOf([noisy.pixels])),
  writePicture(path("colour.png"), pictureOf(noisyColours)),
  writePicture(path("clean-colour.png"), pictureOf(cleanColours)),
]);

interface Image {
  readonly path: string;
  readonly output: string | null;
  readonly sigma: number;
  readonly sigmaInFile: number;
  readonly isEstimated: boolean;
  readonly channelSigmas: readonly number[];
  readonly models: readonly string[];
  readonly isUnchanged: boolean;
  readonly noisy: { readonly psnr: number; readonly ssim: number };
  readonly psnr: number;
  readonly ssim: number;
  readonly seconds: number;
}

interface Result {
  readonly images: readonly Image[];
  readonly mean: { readonly psnr: number; readonly ssim: number };
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

const denoise = (...words: readonly string[]) => runCommand("denoise", ...words, "--workers", "0");

async function result(...words: readonly string[]): Promise<Result> {
  const { code, stdout, stderr } = await denoise(...words, "--json");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as Result;
}

describe("gaussianize denoise", () => {
  test("removes noise from a grey picture, and measures the gain", async () => {
    const out = path("grey-out.png");
    const flags = ["--sigma", "25", "--reference", path("clean.png")];
    const { images, mean, failed } = await result(path("grey.png"), "-o", out, ...flags);
    const [image] = images;
    expect(image).toMatchObject({ path: path("grey.png"), output: out, sigma: 25 });
    expect(image).toMatchObject({ isEstimated: false, channelSigmas: [25], isUnchanged: false });
    expect((await denoisingPriors()).map((prior) => prior.path)).toContain(image.models[0]);
    expect((await denoisingPriors("guided")).map((prior) => prior.path)).toContain(image.models[1]);
    expect(image.models).toHaveLength(2);
    expect(image.psnr).toBeGreaterThan(image.noisy.psnr + 4);
    expect(image.ssim).toBeGreaterThan(image.noisy.ssim + 0.15);
    expect(image.seconds).toBeGreaterThan(0);
    expect(mean).toMatchObject({ psnr: image.psnr, ssim: image.ssim, noisy: image.noisy });
    expect(failed).toEqual([]);
    const written = await readPicture(out);
    expect([written.width, written.height, written.channels.length]).toEqual([width, height, 1]);
    // The file has the measured PSNR, except for rounding and clipping.
    const squares = written.channels[0].reduce((sum, v, k) => sum + (v - clean.pixels[k]) ** 2, 0);
    expect(10 * Math.log10((width * height) / squares)).toBeCloseTo(image.psnr, 0);
  });

  test("denoises colours in all channels", async () => {
    const out = path("colour-out.png");
    const flags = ["--sigma", "25", "--reference", path("clean-colour.png")];
    const { images } = await result(path("colour.png"), "-o", out, ...flags);
    expect(images[0].channelSigmas[0]).toBeCloseTo(25 / Math.sqrt(3), 6);
    expect(images[0].channelSigmas[1]).toBeCloseTo(25, 6);
    expect(images[0].channelSigmas[2]).toBeCloseTo(25, 6);
    expect(images[0].psnr).toBeGreaterThan(images[0].noisy.psnr + 5);
    const { channels } = await readPicture(out);
    const difference = (of: readonly Float32Array[], k: number): number => of[0][k] - of[2][k];
    const error = (of: readonly Float32Array[]): number =>
      Math.hypot(...of[0].map((_, k) => difference(of, k) - difference(cleanColours, k)));
    expect(error(channels)).toBeLessThan(0.5 * error(noisyColours));
  });

  test("is better in three rounds than in one, and in two with --model", async () => {
    const psnrOf = async (...flags: readonly string[]): Promise<number> =>
      (await result(path("clean.png"), "--add-noise", "25", ...flags)).images[0].psnr;
    const once = await psnrOf("--rounds", "1");
    expect(await psnrOf()).toBeGreaterThan(once + 0.1);
    expect(await psnrOf("--rounds", "3")).toBe(await psnrOf());
    for (const preset of ["--fast", "--best"]) {
      expect(await psnrOf(preset)).toBeGreaterThan(once + 0.1);
      expect(await psnrOf(preset)).not.toBe(await psnrOf());
    }
    const own = ["--model", (await nearestPrior(25)).path];
    expect(await psnrOf(...own, "--rounds", "2")).toBeGreaterThan(await psnrOf(...own));
  });

  test("estimates the noise before JPEG from the tables of the file, and warns", async () => {
    // Brightness has less noise than red, green and blue, each of which has 25.
    const raw = Buffer.from(
      Uint8Array.from({ length: 3 * 96 * 96 }, (_, k) => 110 + 25 * jpegNoise[k]),
    );
    const jpeg = path("noisy.jpg");
    await sharp(raw, { raw: { width: 96, height: 96, channels: 3 } })
      .jpeg({ quality: 60 })
      .toFile(jpeg);
    const { stdout, stderr } = await denoise(jpeg, "-o", path("j.png"), "--rounds", "1", "--json");
    const [image] = (JSON.parse(stdout) as Result).images;
    expect(Math.abs(image.sigma / 25 - 1)).toBeLessThan(0.15);
    expect(image.channelSigmas[1]).toBeCloseTo(image.sigma, 6);
    expect(stderr).toContain(`warning: ${jpeg}: JPEG has changed the noise`);
    expect(stderr).toContain("give --sigma");
  });

  test.runIf(process.platform === "linux")(
    "refuses an output that cannot be written before it reads a picture",
    async () => {
      await writeFile(path("no-picture.png"), "text");
      for (const output of ["/proc/x.png", "/proc/folder/"]) {
        const { code, stderr } = await denoise(path("no-picture.png"), "-o", output);
        expect(code).toBe(1);
        expect(stderr).toContain(`Cannot write ${output}`);
      }
    },
  );

  test("uses one round for little noise, and warns of a stride beyond the patch", async () => {
    const weak = await result(path("clean.png"), "--add-noise", "2");
    expect(weak.images[0].models).toHaveLength(1);
    const { code, stderr } = await denoise(
      path("clean.png"),
      "--add-noise",
      "25",
      "--stride",
      "20",
    );
    expect(code).toBe(0);
    expect(stderr).toContain("using --stride 8 instead of 20");
  });

  test.each(["gsm", "marginal", "wiener"])("--method %s", async (method) => {
    const flags = ["--add-noise", "25", "--method", method];
    const { images } = await result(path("clean.png"), ...flags);
    expect(images[0].psnr).toBeGreaterThan(images[0].noisy.psnr + 3);
    expect(images[0].models).toEqual([]);
  });

  test("--method ica-mg uses priors of independent components", async () => {
    const flags = ["--add-noise", "25", "--method", "ica-mg"];
    const [image] = (await result(path("clean.png"), ...flags)).images;
    expect(image.psnr).toBeGreaterThan(image.noisy.psnr + 3);
    expect(image.models).toHaveLength(1);
    expect((await denoisingPriors("ica-mg")).map((prior) => prior.path)).toContain(image.models[0]);
    const self = ["--self", "--self-steps", "3", "--stride", "4"];
    const [fitted] = (await result(path("clean.png"), ...flags, ...self)).images;
    expect(fitted.models).toEqual(image.models);
    expect(fitted.psnr).toBeGreaterThan(image.noisy.psnr + 3);
  });

  test("estimates the noise of each channel without --sigma, and says so", async () => {
    const { images } = await result(path("grey.png"), "-o", path("estimated.png"));
    expect(images[0].isEstimated).toBe(true);
    expect(Math.abs(images[0].sigma / 25 - 1)).toBeLessThan(0.25);
    const { code, stdout } = await denoise(path("colour.png"), "-o", path("estimated.png"));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^.*colour\.png → .*estimated\.png, σ = \d+(\.\d+)? \(estimated\), .* s\n$/,
    );
  });

  test("--add-noise adds unclipped noise of that σ by the seed, and needs no output", async () => {
    const of = (own: string) => result(path("clean.png"), "--add-noise", "25", "--seed", own);
    const [first, again, other] = [await of("1"), await of("1"), await of("2")];
    // 20 log₁₀ (255/25) = 20.17 dB, within 3 standard errors of 3072 pixels.
    const expected = 20 * Math.log10(255 / 25);
    expect(Math.abs(first.images[0].noisy.psnr - expected)).toBeLessThan(0.35);
    expect(again.images[0].psnr).toBe(first.images[0].psnr);
    expect(other.images[0].psnr).not.toBe(first.images[0].psnr);
    expect(first.images[0]).toMatchObject({ sigma: 25, isEstimated: false });
    expect(first.images[0].output).toBeNull();
  });

  test("gives the same bytes for any number of workers, also with --self", async () => {
    const files = [];
    for (const workers of ["0", "2"]) {
      const out = path(`workers-${workers}.png`);
      const flags = ["--sigma", "25", "--self", "--self-steps", "3", "--workers", workers];
      const ran = await runProcess("denoise", path("colour.png"), "-o", out, ...flags);
      expect(ran).toMatchObject({ code: 0 });
      files.push((await readFile(out)).toString("base64"));
    }
    expect(new Set(files).size).toBe(1);
  });

  test("--self changes the result, depending on the seed", async () => {
    const flags = ["--add-noise", "25", "--sigma", "25"];
    const self = ["--self", "--self-steps", "20"];
    const plain = await result(path("clean.png"), ...flags, "--rounds", "1");
    const fitted = await result(path("clean.png"), ...flags, ...self);
    expect(fitted.images[0].psnr).not.toBe(plain.images[0].psnr);
    expect(fitted.images[0].psnr).toBeGreaterThan(plain.images[0].psnr - 0.3);
  });

  test("keeps 16 bits, alpha and metadata", async () => {
    const alpha = Float32Array.from({ length: width * height }, (_, k) => (k % 256) / 255);
    const xmp = new TextEncoder().encode("<x:xmpmeta/>");
    const deep = pictureOf(noisyColours, { alpha, bitDepth: 16, metadata: { xmp } });
    await writePicture(path("deep.png"), deep);
    expect(
      await denoise(path("deep.png"), "-o", path("deep-out.png"), "--sigma", "25"),
    ).toMatchObject({ code: 0 });
    const [before, after] = await Promise.all(
      ["deep.png", "deep-out.png"].map((name) => readPicture(path(name))),
    );
    expect(after.bitDepth).toBe(16);
    expect(after.alpha).toEqual(before.alpha);
    expect(after.metadata.xmp).toEqual(before.metadata.xmp);
    // More than 256 values: they were not rounded to 8 bits on the way.
    expect(new Set(after.channels[0]).size).toBeGreaterThan(256);
    expect(after.channels[0]).not.toEqual(before.channels[0]);
  });

  test("names what a format cannot keep", async () => {
    const ran = await denoise(path("deep.png"), "-o", path("deep.jpg"), "--sigma", "25");
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain("cannot hold: 16 bits (8 instead), alpha");
  });

  test("keeps the units of floating-point files", async () => {
    const scaled = noisy.pixels.map((value) => 5000 + 3000 * value);
    const float = { bitDepth: "float", format: "tiff" } as const;
    await writePicture(path("counts.tif"), pictureOf([scaled], float));
    const { images } = await result(path("counts.tif"), "-o", path("counts-out.tif"));
    const { channels, bitDepth } = await readPicture(path("counts-out.tif"));
    expect(bitDepth).toBe("float");
    const error = (pixels: Float32Array): number =>
      Math.hypot(...pixels.map((value, k) => (value - 5000) / 3000 - clean.pixels[k]));
    expect(error(channels[0])).toBeLessThan(0.65 * error(scaled));
    expect(images[0].sigma).toBeGreaterThan(10);
    expect(images[0].sigma).toBeLessThan(30);
    // The noise of the file itself: 3000 times 25/255.
    expect(images[0].sigmaInFile).toBeGreaterThan(0.8 * 3000 * sigma);
    expect(images[0].sigmaInFile).toBeLessThan(1.3 * 3000 * sigma);
  });

  test("estimates the noise of 12 bits in a file of 16", async () => {
    const dim = noisy.pixels.map((value) => (Math.max(0, value + 0.5) * 2048) / 65535);
    await writePicture(path("dim.png"), pictureOf([dim], { bitDepth: 16 }));
    const { images } = await result(path("dim.png"), "-o", path("dim-out.png"));
    expect(images[0].isUnchanged).toBe(false);
    expect(images[0].sigma).toBeGreaterThan(10);
    const { channels } = await readPicture(path("dim-out.png"));
    const error = (pixels: Float32Array): number =>
      Math.hypot(...pixels.map((v, k) => (v * 65535) / 2048 - 0.5 - clean.pixels[k]));
    expect(error(channels[0])).toBeLessThan(0.65 * error(dim));
  });

  test("denoises folders, and keeps names and subfolders", async () => {
    await mkdir(path("in", "below"), { recursive: true });
    await writePicture(path("in", "a.png"), pictureOf([noisy.pixels]));
    await writePicture(path("in", "below", "b.webp"), pictureOf(noisyColours));
    const { images } = await result(path("in"), "-o", path("out"), "--sigma", "25");
    expect(images.map(({ output }) => output)).toEqual([
      path("out", "a.png"),
      path("out", "below", "b.webp"),
    ]);
    expect((await readPicture(path("out", "below", "b.webp"))).channels).toHaveLength(3);
  });

  test("--reference accepts a folder with the same names", async () => {
    await mkdir(path("references"), { recursive: true });
    await writePicture(path("references", "grey.png"), pictureOf([clean.pixels]));
    await writePicture(path("references", "colour.tif"), pictureOf(cleanColours));
    const flags = ["-o", path("measured"), "--sigma", "25", "--reference", path("references")];
    const { images, mean } = await result(path("grey.png"), path("colour.png"), ...flags);
    expect(images.map(({ psnr }) => psnr > 22)).toEqual([true, true]);
    expect(mean.psnr).toBeCloseTo((images[0].psnr + images[1].psnr) / 2, 9);
  });

  test("--reference may have one channel for grey in three, and the reverse", async () => {
    const three = (pixels: Float32Array): Picture => pictureOf([pixels, pixels, pixels]);
    await writePicture(path("grey-rgb.png"), three(noisy.pixels));
    await writePicture(path("clean-rgb.png"), three(clean.pixels));
    const flags = ["--sigma", "25", "--rounds", "1", "-o", path("grey-measured.png")];
    const psnrs = [];
    for (const [picture, reference] of [
      ["grey.png", "clean.png"],
      ["grey.png", "clean-rgb.png"],
      ["grey-rgb.png", "clean.png"],
    ]) {
      const { images } = await result(path(picture), ...flags, "--reference", path(reference));
      psnrs.push([images[0].noisy.psnr, images[0].psnr]);
    }
    expect(psnrs[1]).toEqual(psnrs[0]);
    // Three channels are separated and put together again, which rounds to single precision.
    expect(psnrs[2][0]).toBeCloseTo(psnrs[0][0], 9);
    expect(psnrs[2][1]).toBeCloseTo(psnrs[0][1], 3);
  });

  test("--compare shows noisy, denoised and clean, and a detail of each below", async () => {
    const flags = ["--add-noise", "25", "--compare"];
    await result(path("clean-colour.png"), "-o", path("shown.png"), ...flags);
    const { width: wide, height: high, channels } = await readPicture(path("shown-compare.png"));
    // Labels in the smallest letters, above.
    const labels = 8 + 8;
    expect([wide, high, channels.length]).toEqual([3 * width + 16, labels + 2 * height + 8, 3]);
    // The last of the three is the clean picture, but for the frame.
    const left = 2 * (width + 8);
    const differing = clean.pixels.filter((_, k) => {
      const at = (labels + Math.floor(k / width)) * wide + left + (k % width);
      return Math.abs(channels[1][at] - cleanColours[1][k]) > 0.003;
    });
    expect(differing.length).toBeLessThan(4 * (width / 4 + height / 4 + 8));
    // Enlarged fourfold: equal squares.
    const top = labels + height + 8;
    for (const [x, y] of [
      [0, 0],
      [9, 5],
    ]) {
      const at = (top + 4 * y) * wide + left + 4 * x;
      expect(channels[0][at + 3 * wide + 3]).toBe(channels[0][at]);
    }
  });

  test("copies a picture without noise byte for byte, and says so", async () => {
    const flat = pictureOf([new Float32Array(width * height)]);
    await writePicture(path("black.png"), flat);
    const smooth = clean.pixels.map((_, k) => 0.2 + (0.5 * (k % width)) / width);
    await writePicture(path("smooth.png"), pictureOf([smooth]));
    for (const name of ["black", "smooth"]) {
      const { code, stdout } = await denoise(path(`${name}.png`), "-o", path(`${name}-out.png`));
      expect(code).toBe(0);
      expect(stdout).toContain("too little noise");
      expect(stdout).toContain("(estimated)");
      const [before, after] = [`${name}.png`, `${name}-out.png`].map((file) =>
        readFile(path(file)),
      );
      expect((await after).equals(await before)).toBe(true);
    }
    // Who says how much there is knows better; black stays black.
    expect(
      await denoise(path("black.png"), "-o", path("black-out.png"), "--sigma", "5"),
    ).toMatchObject({ code: 0 });
    expect(Math.max(...(await readPicture(path("black-out.png"))).channels[0])).toBeLessThan(0.02);
  });

  test("continues after an unreadable file, names it and exits with code 1", async () => {
    await writeFile(path("broken.png"), "no picture");
    const words = [path("grey.png"), path("broken.png"), path("clean.png")];
    const ran = await denoise(...words, "-o", path("some"), "--sigma", "10", "--json");
    expect(ran.code).toBe(1);
    const { images, failed } = JSON.parse(ran.stdout) as Result;
    expect(images.map((image) => image.path)).toEqual([path("grey.png"), path("clean.png")]);
    expect(failed.map((each) => each.path)).toEqual([path("broken.png")]);
    expect(ran.stderr).toContain(`failed: Cannot read ${path("broken.png")} as a picture`);
    expect(ran.stderr).toContain("1 of 3 pictures could not be denoised.");
    expect((await readdir(path("some"))).sort()).toEqual(["clean.png", "grey.png"]);
  });

  test("keeps finished files when it is interrupted", async () => {
    const controller = new AbortController();
    const effects = recordEffects();
    const stdout = {
      isTerminal: false,
      write: () => {
        controller.abort(Object.assign(new Error("Interrupted."), { exitCode: 130 }));
      },
    };
    const words = [path("grey.png"), path("clean.png"), "-o", path("begun"), "--sigma", "25"];
    const code = await run(["denoise", ...words, "--workers", "0"], {
      ...effects,
      stdout,
      interruption: () => controller.signal,
    });
    expect(code).toBe(130);
    expect(await readdir(path("begun"))).toEqual(["grey.png"]);
  });

  test("--force replaces the picture itself", async () => {
    const file = path("own.png");
    await writePicture(file, pictureOf([noisy.pixels]));
    const before = await stat(file);
    expect(await denoise(file, "-o", file, "--sigma", "25", "--force")).toMatchObject({ code: 0 });
    expect((await stat(file)).size).toBeLessThan(before.size);
  });

  test("uses --model, and warns if it is for other noise", async () => {
    const { path: model } = await nearestPrior(25);
    const flags = ["--model", model, "--add-noise"];
    const near = await denoise(path("clean.png"), ...flags, "20");
    expect(near).toMatchObject({ code: 0, stderr: "" });
    const far = await denoise(path("clean.png"), ...flags, "80");
    expect(far.code).toBe(0);
    expect(far.stderr).toContain(`${model} was fitted to noise of σ = 25, far from the σ = 80`);
  });

  test("denoises pictures smaller than a patch", async () => {
    const small = { width: 5, height: 3 };
    await writePicture(path("small.png"), pictureOf([noisy.pixels.slice(0, 15)], small));
    const { images } = await result(path("small.png"), "--add-noise", "25");
    expect(Number.isFinite(images[0].psnr)).toBe(true);
  });
});

describe("gaussianize denoise rejects", () => {
  const out = ["-o", path("never.png")];
  test.each([
    [[], "Where should the pictures go?"],
    [["--compare", "--add-noise", "25"], "--compare writes beside the output"],
    [
      [...out, "--sigma", "0"],
      '--sigma must be a number above 0 and at most 255, in grey levels of 255; received "0"',
    ],
    [[...out, "--sigma=-5"], 'received "-5"'],
    [[...out, "--sigma", "256"], 'received "256"'],
    [[...out, "--sigma", "NaN"], 'received "NaN"'],
    [[...out, "--sigma", ""], 'received ""'],
    [["--add-noise", "1e9"], "--add-noise must be a number above 0 and at most 255"],
    [[...out, "--method", "gms"], "It must be gdn, ica-mg, gsm, marginal or wiener".slice(3)],
    [
      [...out, "--method", "gsm", "--self"],
      "--self is for --method gdn or ica-mg; received --method gsm",
    ],
    [[...out, "--method", "gsm", "--stride", "2"], "--stride is for --method gdn or ica-mg"],
    [
      [...out, "--method", "ica-mg", "--model", models.path("spread")],
      "--model replaces --method: give one of them; received --method ica-mg",
    ],
    [[...out, "--self-steps", "5"], "--self-steps needs --self"],
    [[...out, "--fast", "--best"], "Give either --fast or --best, not both"],
    [[...out, "--best", "--rounds", "1"], "--best plans several rounds"],
    [
      [...out, "--best", "--method", "gsm"],
      "--best is for the densities of the package; received --method gsm",
    ],
    [[...out, "--fast", "--model", models.path("spread")], "received --model"],
    [[...out, "--add-noise", "5", "--reference", path("clean.png")], "Give either --add-noise"],
    [[...out, "--model", models.path("centred")], "must be fitted without --remove-mean"],
    [[...out, "--model", models.path("spread")], "was fitted without noise"],
    [["-o", path("never.gif")], "expected a name that ends in one of .png"],
    [["-o", path("grey.png")], "is one of the pictures to denoise: give another -o, or --force"],
    [["-o", path("link.png")], "is one of the pictures to denoise"],
    [
      ["-o", path("clean.png"), "--reference", path("clean.png"), "--force"],
      "is the reference or the model",
    ],
    [["--sgma", "5"], "Did you mean --sigma?"],
  ] as const)("%j", async (flags, what) => {
    await symlink(path("grey.png"), path("link.png")).catch(() => undefined);
    const before = await readdir(folder);
    expectRefusal(await denoise(path("grey.png"), ...flags), 2, what);
    expect(await readdir(folder)).toEqual(before);
  });

  test("a file that is not a model, in a sentence that names it", async () => {
    await writeFile(path("notes.md"), "# Notes on models");
    expectRefusal(
      await denoise(path("grey.png"), ...out, "--model", path("notes.md")),
      1,
      `${path("notes.md")}: Expected the file to be in the safetensors format but received one that begins with "# Notes ".`,
    );
  });

  test("a file for several pictures, and two pictures for one file", async () => {
    const several = [path("grey.png"), path("colour.png")];
    expectRefusal(
      await denoise(...several, ...out),
      2,
      "-o must be a folder for 2 pictures; received the file name",
    );
    expectRefusal(await denoise(...several, "-o", path("clean.png")), 2, "is a file");
    await mkdir(path("twin"), { recursive: true });
    await writePicture(path("twin", "grey.png"), pictureOf([noisy.pixels]));
    expectRefusal(
      await denoise(path("grey.png"), path("twin", "grey.png"), "-o", path("both")),
      2,
      "would both become",
    );
  });

  test("CMYK, animations, floats that are not finite, references of another size", async () => {
    const rgb = { create: { width: 16, height: 16, channels: 3, background: "#345" } } as const;
    await sharp(rgb).toColourspace("cmyk").jpeg().toFile(path("cmyk.jpg"));
    const frames = Buffer.alloc(16 * 32 * 3, 80);
    frames.fill(180, 16 * 16 * 3);
    await sharp(frames, { raw: { width: 16, height: 32, channels: 3, pageHeight: 16 } })
      .gif()
      .toFile(path("moving.gif"));
    const samples = noisy.pixels.map((value, k) => (k === 7 ? NaN : value));
    await writeFile(path("holes.tif"), tiffBytes({ width, height, channels: 1, samples }));
    for (const [name, what] of [
      ["cmyk.jpg", "CMYK"],
      ["moving.gif", "2 pictures"],
      ["holes.tif", "1 of its 3072 values"],
      ["missing.png", "missing.png"],
    ]) {
      expectRefusal(await denoise(path(name), ...out), 1, what);
    }
    const flags = [...out, "--reference", path("clean-colour.png")];
    expectRefusal(
      await denoise(path("grey.png"), ...flags),
      1,
      `to have 64×48 pixels, grey, like ${path("grey.png")}, but received 64×48 pixels, colour`,
    );
  });
});
