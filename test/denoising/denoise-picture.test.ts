import { describe, expect, test } from "vitest";
import { packagePriors } from "../../node/denoising-priors.js";
import { type PictureChannels, denoiseChannels } from "../../src/denoising/denoise-channels.js";
import {
  type PictureDenoisingOptions,
  denoisePicture,
} from "../../src/denoising/denoise-picture.js";
import type { DenoisingStage, DenoisingWarning } from "../../src/denoising/picture-denoiser.js";
import { shareOfFit } from "../../src/denoising/fit-to-image.js";
import { densityOf } from "../../src/density/density-of.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import { pictureQuality } from "../../src/evaluation/picture-quality.js";
import { asJpeg } from "../support/picture-bytes.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { imageModels } from "../support/image-models.js";
import { simdRunner } from "../support/inline-runners.js";
import { noisyImage, stripes, noisyScene } from "../support/scenes.js";

const sigma = 25 / 255;
const { clean, noisy } = noisyScene(48, 40, sigma);
const pictureOf = ({ width, height, pixels }: typeof clean) => ({
  width,
  height,
  channels: [pixels],
});
const denoise = (options: PictureDenoisingOptions, picture: PictureChannels = pictureOf(noisy)) =>
  denoisePicture(simdRunner, packagePriors(), picture, options);
/** Denoises a picture in one round and collects the warnings. */
async function withWarnings(options: PictureDenoisingOptions, picture?: PictureChannels) {
  const warnings: DenoisingWarning[] = [];
  const onWarning = (warning: DenoisingWarning) => warnings.push(warning);
  return { outcome: await denoise({ rounds: 1, ...options, onWarning }, picture), warnings };
}

describe("denoisePicture", () => {
  test("brings the picture nearer to the clean one, and reports progress", async () => {
    const stages: DenoisingStage[] = [];
    const outcome = await denoise({ sigma, onStage: (stage) => stages.push(stage) });
    const before = pictureQuality(pictureOf(noisy), pictureOf(clean));
    const after = pictureQuality(outcome, pictureOf(clean));
    // A scene of flat leaves: 11 dB were found.
    expect(after.psnr).toBeGreaterThan(before.psnr + 3);
    expect(after.ssim).toBeGreaterThan(before.ssim);
    const parts = stages.map(({ part }) => part);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    // A sum of shares, rounded.
    expectClose(parts[parts.length - 1], 1, { absolute: 1e-12 });
    expect(stages.at(-1)).toMatchObject({ channel: 1, channels: 1, lastRound: 3, done: 1920 });
    const wanted = { sigma, isEstimated: false, levels: [sigma], isUnchanged: false };
    expect(outcome).toMatchObject(wanted);
    const families = outcome.priors.map((path) => /(gdn|guided)-\d+/.exec(path)?.[1]);
    expect(families).toEqual(["gdn", "guided"]);
  });

  test("denoises a grey picture with three channels like one channel", async () => {
    const scene = noisyScene(64, 64, sigma).noisy;
    const { width, height, pixels } = scene;
    const stages: DenoisingStage[] = [];
    const options = {
      rounds: 1,
      fitSteps: 2,
      onStage: (stage: DenoisingStage) => stages.push(stage),
    };
    const found = await denoise(options, { width, height, channels: [pixels, pixels, pixels] });
    const count = stages.length;
    const alone = await denoise(options, pictureOf(scene));
    expect(found.levels).toEqual([alone.levels[0], 0, 0]);
    expect(stages.slice(0, count)).toEqual(stages.slice(count));
    for (const channel of found.channels) {
      expectClose(channel, alone.channels[0], { absolute: 1e-6 });
    }
  });

  test("warns of noise far from all priors", async () => {
    const { warnings } = await withWarnings({ sigma: 0.5 });
    expect(warnings).toEqual([{ kind: "far noise", known: 50, level: 127.5 }]);
  });

  test("does not warn of the noise of colour differences, if that of the brightness is near", async () => {
    const [red, green, blue] = [1, 2, 3].map((k) => noisy.pixels.map((value) => value ** k));
    const { width, height } = noisy;
    const colours = { width, height, channels: [red, green, blue] };
    const { warnings, outcome } = await withWarnings({ sigma: 0.5 }, colours);
    // 1.5 and 2.5 times the σ of the nearest prior, 50; up to 1.6 times is near.
    expect(outcome.levels.map((level) => Math.round(255 * level))).toEqual([74, 127, 128]);
    expect(warnings).toEqual([]);
  });

  test("reads only the prior with the nearest level", async () => {
    const read: string[] = [];
    const shelf = packagePriors();
    const model = (path: string) => {
      read.push(path.replace(/^.*[/\\]/, ""));
      return shelf.model(path);
    };
    const options = { sigma: 20 / 255, rounds: 1 };
    await denoisePicture(simdRunner, { ...shelf, model }, pictureOf(noisy), options);
    expect(read).toEqual(["gdn-25.safetensors"]);
  });

  test("denoises diagonal stripes with an estimated noise level", async () => {
    const scene = noisyImage({ width: 48, height: 48 }, sigma, stripes(8));
    const { psnr } = pictureQuality(pictureOf(scene.noisy), pictureOf(scene.clean));
    const found = await denoise({ rounds: 1 }, pictureOf(scene.noisy));
    expect(found.isEstimated).toBe(true);
    expectClose(255 * found.sigma, 25, { relative: 0.1 });
    expect(pictureQuality(found, pictureOf(scene.clean)).psnr).toBeGreaterThan(psnr + 2);
  });

  test("loses little by an estimate from a JPEG file, and warns of it", async () => {
    const scene = noisyScene(96, 96, sigma);
    const { image, jpeg } = await asJpeg(scene.noisy, 50);
    const picture = { ...pictureOf(image), jpeg };
    const estimated = await withWarnings({}, picture);
    const given = await withWarnings({ sigma }, picture);
    const [found, best] = [estimated, given].map(
      ({ outcome }) => pictureQuality(outcome, pictureOf(scene.clean)).psnr,
    );
    expect(found).toBeGreaterThan(best - 0.5);
    expect(estimated.warnings).toEqual([{ kind: "jpeg" }]);
  });

  test("denoises a single row of pixels, and warns of few pixels", async () => {
    const row = noisyImage({ width: 300, height: 1 }, sigma, (x) => 0.3 + x / 900);
    const { outcome, warnings } = await withWarnings({}, pictureOf(row.noisy));
    expect(outcome.isUnchanged).toBe(false);
    expect(warnings).toEqual([{ kind: "few pixels", width: 300, height: 1 }]);
    const { psnr } = pictureQuality(pictureOf(row.noisy), pictureOf(row.clean));
    expect(pictureQuality(outcome, pictureOf(row.clean)).psnr).toBeGreaterThan(psnr + 3);
  });

  test("warns of two pixels, whose noise cannot be estimated", async () => {
    const pair = { width: 2, height: 1, channels: [Float32Array.of(0.2, 0.8)] };
    const { warnings } = await withWarnings({}, pair);
    expect(warnings).toContainEqual({ kind: "few pixels", width: 2, height: 1 });
  });

  test("does not change a picture with hardly any noise", async () => {
    const flat = { width: 40, height: 40, channels: [new Float32Array(1600).fill(0.3)] };
    const outcome = await denoise({}, flat);
    expect(outcome).toMatchObject({ isUnchanged: true, isEstimated: true, sigma: 0 });
    expect(outcome.channels).toBe(flat.channels);
  });

  test("accepts a density of whole images, and limits the stride to its blocks", async () => {
    const model = imageModels.noisyImages;
    const { outcome, warnings } = await withWarnings({ sigma, model, stride: 7 });
    const { channels, priors } = outcome;
    const wanted = await denoiseChannels(pictureOf(noisy), [sigma], (image) =>
      denoiseImage(densityOf(model, simdRunner), image, { sigma, stride: 4 }),
    );
    expectSameBits(channels[0], wanted[0]);
    expect(priors).toEqual([]);
    expect(warnings).toEqual([{ kind: "stride", apart: "shifts", stride: 7, size: 4 }]);
    await expectError(denoise({ sigma, model, fitSteps: 1 }), {
      code: "invalid-argument",
      phrase: /the model.*patches/,
    });
  });

  test("rejects unknown methods and too many rounds", async () => {
    for (const [argument, value] of [
      ["method", "gms"],
      ["rounds", 5],
    ] as const) {
      await expectError(denoise({ [argument]: value }), { code: "invalid-argument", argument });
    }
  });

  test.each([25, 1.01, -0.1, NaN])(
    "rejects the noise level %d, and names the unit",
    async (level) => {
      await expectError(denoise({ sigma: level }), {
        code: "invalid-argument",
        argument: "sigma",
        phrase: `where 1 is white (25 grey levels are 25/255), but received ${level}.`,
      });
    },
  );
});

describe("shareOfFit", () => {
  test("is nearly 1 for a small image, less for a large one, and 0 without a fit", () => {
    expect(shareOfFit(8000, 0, 5)).toBe(0);
    // 160,000 µs for a step, and 20,000 pixels of 8 µs.
    expectClose(shareOfFit(20_000, 150, 8), 150 / 151, { relative: 1e-15 });
    expectClose(shareOfFit(3e6, 150, 8), 0.5, { relative: 1e-15 });
  });
});
