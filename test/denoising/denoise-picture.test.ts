import { describe, expect, test } from "vitest";
import { packagePriors } from "../../node/denoising-priors.js";
import { denoiseChannels } from "../../src/denoising/denoise-channels.js";
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
import { refusal, sentenceOf } from "../support/expect-error.js";
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
const denoise = (options: PictureDenoisingOptions) =>
  denoisePicture(simdRunner, packagePriors(), pictureOf(noisy), options);

describe("denoisePicture", () => {
  test("brings the picture nearer to the clean one, and tells how far it is", async () => {
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
    expect(stages.at(-1)).toMatchObject({
      channel: 1,
      channels: 1,
      lastRound: 3,
      done: 1920,
    });
    expect(outcome).toMatchObject({
      sigma,
      isEstimated: false,
      levels: [sigma],
      isUnchanged: false,
    });
    expect(outcome.priors.map((path) => /(gdn|guided)-\d+/.exec(path)?.[1])).toEqual([
      "gdn",
      "guided",
    ]);
  });

  test("takes a grey picture in three channels for one of one channel", async () => {
    const scene = noisyScene(64, 64, sigma).noisy;
    const { width, height, pixels } = scene;
    const stages: DenoisingStage[] = [];
    const options = {
      rounds: 1,
      fitSteps: 2,
      onStage: (stage: DenoisingStage) => stages.push(stage),
    };
    const inColours = { width, height, channels: [pixels, pixels, pixels] };
    const shelf = packagePriors();
    const found = await denoisePicture(simdRunner, shelf, inColours, options);
    const count = stages.length;
    const alone = await denoisePicture(simdRunner, shelf, pictureOf(scene), options);
    expect(found.levels).toEqual([alone.levels[0], 0, 0]);
    expect(stages.slice(0, count)).toEqual(stages.slice(count));
    for (const channel of found.channels) {
      expectClose(channel, alone.channels[0], { absolute: 1e-6 });
    }
  });

  test("warns of noise that no prior knows", async () => {
    const warnings: DenoisingWarning[] = [];
    await denoise({ sigma: 0.5, rounds: 1, onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([{ kind: "far noise", known: 50, level: 127.5 }]);
  });

  test("takes the prior of the nearest level, and reads no other", async () => {
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

  test("makes diagonal stripes cleaner, by an estimate of their noise", async () => {
    const scene = noisyImage({ width: 48, height: 48 }, sigma, stripes(8));
    const { psnr } = pictureQuality(pictureOf(scene.noisy), pictureOf(scene.clean));
    const shelf = packagePriors();
    const found = await denoisePicture(simdRunner, shelf, pictureOf(scene.noisy), { rounds: 1 });
    expect(found.isEstimated).toBe(true);
    expectClose(255 * found.sigma, 25, { relative: 0.1 });
    expect(pictureQuality(found, pictureOf(scene.clean)).psnr).toBeGreaterThan(psnr + 2);
  });

  test("loses little by the estimate of noise before JPEG, and warns of it", async () => {
    const scene = noisyScene(96, 96, sigma);
    const { image, jpeg } = await asJpeg(scene.noisy, 50);
    const warnings: DenoisingWarning[] = [];
    const psnrAt = async (options: PictureDenoisingOptions) => {
      const picture = { ...pictureOf(image), jpeg };
      const denoised = await denoisePicture(simdRunner, packagePriors(), picture, options);
      return pictureQuality(denoised, pictureOf(scene.clean)).psnr;
    };
    const estimated = await psnrAt({ rounds: 1, onWarning: (warning) => warnings.push(warning) });
    expect(estimated).toBeGreaterThan((await psnrAt({ rounds: 1, sigma })) - 0.5);
    expect(warnings).toEqual([{ kind: "jpeg" }]);
  });

  test("denoises a single row of pixels, and warns that these are few", async () => {
    const row = noisyImage({ width: 300, height: 1 }, sigma, (x) => 0.3 + x / 900);
    const warnings: DenoisingWarning[] = [];
    const onWarning = (warning: DenoisingWarning) => warnings.push(warning);
    const options = { rounds: 1, onWarning };
    const found = await denoisePicture(simdRunner, packagePriors(), pictureOf(row.noisy), options);
    expect(found.isUnchanged).toBe(false);
    expect(warnings).toEqual([{ kind: "few pixels", width: 300, height: 1 }]);
    const { psnr } = pictureQuality(pictureOf(row.noisy), pictureOf(row.clean));
    expect(pictureQuality(found, pictureOf(row.clean)).psnr).toBeGreaterThan(psnr + 3);
  });

  test("warns of two pixels, whose noise nobody can tell from their difference", async () => {
    const warnings: DenoisingWarning[] = [];
    const pair = { width: 2, height: 1, channels: [Float32Array.of(0.2, 0.8)] };
    const onWarning = (warning: DenoisingWarning) => warnings.push(warning);
    await denoisePicture(simdRunner, packagePriors(), pair, { rounds: 1, onWarning });
    expect(warnings).toContainEqual({ kind: "few pixels", width: 2, height: 1 });
  });

  test("leaves a picture alone whose noise is next to none", async () => {
    const flat = { width: 40, height: 40, channels: [new Float32Array(1600).fill(0.3)] };
    const outcome = await denoisePicture(simdRunner, packagePriors(), flat);
    expect(outcome).toMatchObject({ isUnchanged: true, isEstimated: true, sigma: 0 });
    expect(outcome.channels).toBe(flat.channels);
  });

  test("takes a density of whole images, at no greater distance than its blocks have", async () => {
    const warnings: DenoisingWarning[] = [];
    const model = imageModels.noisyImages;
    const onWarning = (warning: DenoisingWarning) => warnings.push(warning);
    const { channels, priors } = await denoise({ sigma, model, stride: 7, onWarning });
    const wanted = await denoiseChannels(pictureOf(noisy), [sigma], (image) =>
      denoiseImage(densityOf(model, simdRunner), image, { sigma, stride: 4 }),
    );
    expectSameBits(channels[0], wanted[0]);
    expect(priors).toEqual([]);
    expect(warnings).toEqual([{ kind: "stride", apart: "shifts", stride: 7, size: 4 }]);
    expect(await sentenceOf(denoise({ sigma, model, fitSteps: 1 }))).toBe(
      "Expected the model to be a model of patches, but it is one of whole images.",
    );
  });

  test("refuses methods and rounds that there are not", async () => {
    expect(await sentenceOf(denoise({ method: "gms" as "gsm" }))).toBe(
      refusal("method", "be one of gdn, ica-mg, gsm, marginal, wiener", "gms"),
    );
    expect(await sentenceOf(denoise({ rounds: 5 }))).toContain("rounds");
  });
});

describe("shareOfFit", () => {
  test("is all but nothing of a small image, less of a large one, and nothing without a fit", () => {
    expect(shareOfFit(8000, 0)).toBe(0);
    expectClose(shareOfFit(8000, 150), 150 / 151, { relative: 1e-15 });
    expectClose(shareOfFit(12e5, 150), 0.5, { relative: 1e-15 });
  });
});
