import { describe, expect, test } from "vitest";
import { packagePriors } from "../../../node/denoising-priors.js";
import {
  type PictureDenoisingOptions,
  denoisePicture,
} from "../../../src/denoising/denoise-picture.js";
import type { PictureChannels } from "../../../src/denoising/denoise-channels.js";
import { psnrInDecibels } from "../../../src/evaluation/picture-quality.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { expectClose, expectSameBits } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { simdRunner } from "../../support/inline-runners.js";
import { asJpeg } from "../../support/picture-bytes.js";
import { binomial, withColouredNoise, withPhotonNoise } from "../../support/noises.js";
import { noisyImage } from "../../support/scenes.js";
import { seed } from "../../support/seed.js";

const size = { width: 128, height: 128 };
const { clean, noisy } = noisyImage(size, 20 / 255, (x, y) => {
  const isSquare = x % 64 < 32 && y % 64 < 32;
  return 0.08 + x / 150 + (isSquare ? 0.06 : 0);
});
const pictureOf = (...images: readonly GreyImage[]): PictureChannels => ({
  ...size,
  channels: images.map(({ pixels }) => pixels),
});
/** The method of the quickest denoiser that keeps edges. */
const denoise = (picture: PictureChannels, options: PictureDenoisingOptions = {}) =>
  denoisePicture(simdRunner, packagePriors(), picture, { method: "wiener", ...options });
const psnr = (channels: readonly Float32Array[]): number =>
  psnrInDecibels({ ...size, pixels: channels[0] }, clean);

describe(`kinds of noise (seed ${seed})`, () => {
  test("detects white noise, and treats it as before", async () => {
    const found = await denoise(pictureOf(noisy));
    expect(found.noise).toEqual({ kind: "white" });
    const given = await denoise(pictureOf(noisy), { noise: "white" });
    expectSameBits(found.channels[0], given.channels[0]);
  });

  test("detects photon noise, and removes it better than white noise", async () => {
    const photons = withPhotonNoise(clean, 0.03, 0.0001);
    const found = await denoise(pictureOf(photons));
    if (found.noise.kind !== "signal-dependent") throw new Error(found.noise.kind);
    expect(found.noise.atWhite).toBeGreaterThan(3 * found.noise.atBlack);
    expectClose(found.sigma, Math.sqrt(0.03 * 0.52), { relative: 0.15 });
    const white = await denoise(pictureOf(photons), { noise: "white" });
    expect(psnr(found.channels)).toBeGreaterThan(psnr(white.channels) + 0.2);
  });

  test.each(["white", "signal-dependent", "coloured"] as const)(
    "leaves a picture without noise as it is: %s",
    async (noise) => {
      const found = await denoise(pictureOf(noisy), { noise, sigma: 0 });
      expectClose(found.channels[0], noisy.pixels, { absolute: 1e-6 });
    },
  );

  test("detects coloured noise, and removes it better than white noise", async () => {
    const coloured = withColouredNoise(clean, 20 / 255, binomial);
    const found = await denoise(pictureOf(coloured));
    if (found.noise.kind !== "coloured") throw new Error(found.noise.kind);
    expectClose(found.noise.across, 2 / 3, { absolute: 0.1 });
    expectClose(255 * found.sigma, 20, { relative: 0.15 });
    const white = await denoise(pictureOf(coloured), { noise: "white" });
    expect(psnr(found.channels)).toBeGreaterThan(psnr(white.channels) + 2);
  });

  test("detects both in colour pictures", async () => {
    const photons = [1, 2, 3].map((k) => withPhotonNoise(clean, 0.03, 0.0001, k));
    expect((await denoise(pictureOf(...photons))).noise.kind).toBe("signal-dependent");
    const coloured = [1, 2, 3].map((k) => withColouredNoise(clean, 20 / 255, binomial, k));
    expect((await denoise(pictureOf(...coloured))).noise.kind).toBe("coloured");
  });

  test("takes noise that JPEG has changed for white", async () => {
    const { image, jpeg } = await asJpeg(withColouredNoise(clean, 20 / 255, binomial), 50);
    expect((await denoise({ ...pictureOf(image), jpeg })).noise).toEqual({ kind: "white" });
  });

  test("takes noise of a given level for white unless its kind is given", async () => {
    const photons = pictureOf(withPhotonNoise(clean, 0.03, 0.0001));
    const sigma = 0.1;
    expect((await denoise(photons, { sigma })).noise).toEqual({ kind: "white" });
    for (const noise of ["signal-dependent", "coloured"] as const) {
      const found = await denoise(photons, { sigma, noise });
      expect(found.noise.kind).toBe(noise);
      expectClose(found.sigma, sigma, { relative: 1e-6 });
      expect(found.isEstimated).toBe(false);
    }
  });

  test("rejects unknown kinds, and kinds that small pictures do not show", async () => {
    const small = { width: 16, height: 16, channels: [noisy.pixels.slice(0, 256)] };
    for (const noise of ["signal-dependent", "coloured"] as const) {
      await expectError(denoise(small, { noise, name: "a.png" }), {
        code: "degenerate-data",
        phrase: `Cannot estimate the ${noise} noise of a.png: too few of its parts are flat. Denoise it as white noise.`,
      });
    }
    await expectError(denoise(small, { noise: "pink" as "white" }), {
      code: "invalid-argument",
      argument: "noise",
      phrase: /white, signal-dependent, coloured/,
    });
  });
});
