import { describe, expect, test } from "vitest";
import { ScaleMixture } from "../../src/denoising/scale-mixture.js";
import { denoiseByScaleMixtures } from "../../src/denoising/wavelet-gsm.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import type { Band } from "../../src/wavelets/filter-bank.js";
import { splitIntoWavelets } from "../../src/wavelets/orthonormal-wavelet.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { noisyScene } from "../support/scenes.js";
import { expectError } from "../support/expect-error.js";

const sigma = 0.1;

/** The 3×3 neighbourhood of a coefficient, and its parent, index by index. */
function neighbourhood(band: Band, parent: Band | undefined, x: number, y: number): Float64Array {
  const { width, height, values } = band;
  const around = [-1, 0, 1].flatMap((dy) =>
    [-1, 0, 1].map((dx) => {
      const [row, column] = [(y + dy + height) % height, (x + dx + width) % width];
      return values[row * width + column];
    }),
  );
  if (!parent) return Float64Array.from(around);
  const above = parent.values[Math.floor(y / 2) * parent.width + Math.floor(x / 2)];
  return Float64Array.from([...around, above]);
}

/** Estimates of a whole band by hand. */
function estimates(band: Band, parent: Band | undefined): Float64Array {
  const all = Array.from(band.values, (_, k) =>
    neighbourhood(band, parent, k % band.width, Math.floor(k / band.width)),
  );
  const n = all[0].length;
  const covariance = Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return all.reduce((sum, y) => sum + y[i] * y[j], 0) / all.length;
  });
  const mixture = new ScaleMixture({ covariance, dimension: n, sigma, center: 4 });
  return Float64Array.from(all, (y) => mixture.estimate(y));
}

/**
 * A mosaic of reflections with a period of 32 pixels. Extension by reflection only repeats its
 * bands, so the reference needs no extension.
 */
function symmetricImage(): GreyImage {
  const { noisy } = noisyScene(16, 16, sigma);
  const mirror = (k: number): number => (k % 32 < 16 ? k % 32 : 31 - (k % 32));
  const pixels = Float32Array.from({ length: 64 * 32 }, (_, k) => {
    return noisy.pixels[mirror(Math.floor(k / 64)) * 16 + mirror(k % 64)];
  });
  return { width: 64, height: 32, pixels };
}

describe("denoiseByScaleMixtures", () => {
  test.each([true, false])("estimates all bands, parent: %s", async (parent) => {
    const image = symmetricImage();
    const denoised = await denoiseByScaleMixtures(image, { sigma, parent });
    const [before, after] = [splitIntoWavelets(image), splitIntoWavelets(denoised)];
    before.details.forEach((bands, scale) => {
      const coarser = parent ? before.details.at(scale + 1) : undefined;
      for (const name of ["horizontal", "vertical", "diagonal"] as const) {
        const expected = estimates(bands[name], coarser?.[name]);
        const tolerance = { absolute: 64 * float32Epsilon };
        expectClose(after.details[scale][name].values, expected, tolerance, `${scale} ${name}`);
      }
    });
    expectClose(after.coarse.values, before.coarse.values, { absolute: 64 * float32Epsilon });
  });

  test("is better with the parent coefficient, which is the default", async () => {
    const { clean, noisy } = noisyScene(192, 160, sigma);
    const withParent = await denoiseByScaleMixtures(noisy, { sigma });
    const without = await denoiseByScaleMixtures(noisy, { sigma, parent: false });
    expect(psnrInDecibels(withParent, clean)).toBeGreaterThan(psnrInDecibels(without, clean));
    expect(await denoiseByScaleMixtures(noisy, { sigma, parent: true })).toEqual(withParent);
  });

  test("rejects a parent that is not a boolean", async () => {
    const { noisy } = noisyScene(16, 16, sigma);
    const options = { sigma, parent: 1 as unknown as boolean };
    const wanted = { code: "invalid-argument", argument: "parent" } as const;
    await expectError(denoiseByScaleMixtures(noisy, options), wanted);
  });
});
