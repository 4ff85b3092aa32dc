import { describe, expect, test } from "vitest";
import { estimateCovariance } from "../../../src/denoising/real-noise/noise-spectrum.js";
import { covarianceAt, whiteningOf } from "../../../src/denoising/real-noise/whitening.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { expectClose, largest } from "../../support/expect-close.js";
import { binomial, withColouredNoise } from "../../support/noises.js";
import { noisyImage, stripes } from "../../support/scenes.js";
import { seed } from "../../support/seed.js";

const sigma = 0.06;
const side = 192;
const empty: GreyImage = {
  width: side,
  height: side,
  pixels: new Float32Array(side * side).fill(0.5),
};

function covarianceIn(image: GreyImage) {
  const estimate = estimateCovariance(image);
  if (!estimate) throw new Error("no estimate");
  return estimate;
}

describe(`estimateCovariance (seed ${seed})`, () => {
  // Autocorrelation of 1 2 1: 1, 2/3, 1/6, 0. Planes hide some of the noise of a block.
  const expected = (dx: number, dy: number): number => {
    const along = [1, 2 / 3, 1 / 6, 0];
    return along[Math.abs(dx)] * along[Math.abs(dy)];
  };

  test.each([1, 2])("finds the covariance of filtered noise, stream %d", (stream) => {
    const { covariance, spread } = covarianceIn(withColouredNoise(empty, sigma, binomial, stream));
    for (const [dx, dy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [2, 0],
      [3, 3],
    ] as const) {
      const found = covarianceAt(covariance, dx, dy) / (sigma * sigma);
      expectClose(found, expected(dx, dy), { absolute: 0.12 });
      expect(covarianceAt(covariance, -dx, -dy)).toBe(covarianceAt(covariance, dx, dy));
    }
    expectClose(spread, 1, { absolute: 0.4 });
  });

  test("ignores ramps", () => {
    const noisy = withColouredNoise(empty, sigma, binomial);
    const tilted = { ...noisy, pixels: noisy.pixels.map((v, k) => v + (k % side) / 50) };
    const [flat, ramp] = [noisy, tilted].map((image) => covarianceIn(image).covariance.values);
    expect(largest(flat.map((value, k) => value - ramp[k]))).toBeLessThan(1e-6);
  });

  test("finds flat blocks beside stripes", () => {
    const size = { width: side, height: side };
    const { clean } = noisyImage(size, 0, (x, y) => (x < 96 ? 0.5 : stripes(5)(x, y)));
    const { covariance } = covarianceIn(withColouredNoise(clean, sigma, binomial));
    expectClose(Math.sqrt(covarianceAt(covariance, 0, 0)), sigma, { relative: 0.15 });
  });

  test("needs several blocks", () => {
    expect(estimateCovariance({ width: 24, height: 24, pixels: new Float32Array(576) })).toBe(
      undefined,
    );
  });
});

describe(`whiteningOf (seed ${seed})`, () => {
  const noisy = withColouredNoise(empty, sigma, binomial);
  const { covariance } = covarianceIn(noisy);
  const whitening = whiteningOf(covariance, empty);

  test("makes the noise nearly white, with the level it tells", () => {
    const white = covarianceIn(whitening.forward(noisy)).covariance;
    const level = Math.sqrt(covarianceAt(white, 0, 0));
    expectClose(whitening.sigma, level, { relative: 0.1 });
    // From 0.67; the highest frequencies keep less power.
    expect(Math.abs(covarianceAt(white, 1, 0)) / level ** 2).toBeLessThan(0.3);
    expect(Math.abs(covarianceAt(white, 0, 1)) / level ** 2).toBeLessThan(0.3);
  });

  test("restores pictures away from their edges", () => {
    const there = whitening.inverse(whitening.forward(noisy));
    const inside = noisy.pixels.map((value, k) => {
      const [x, y] = [k % side, Math.floor(k / side)];
      const isInside = Math.min(x, y, side - 1 - x, side - 1 - y) >= 24;
      return isInside ? value - there.pixels[k] : 0;
    });
    expect(largest(inside)).toBeLessThan(0.01);
  });

  test("leaves white noise and its level alone", () => {
    const values = new Float64Array(49);
    values[24] = sigma * sigma;
    const none = whiteningOf({ reach: 3, values }, empty);
    expectClose(none.sigma, sigma, { relative: 1e-6 });
    const same = none.forward(noisy);
    expect(largest(same.pixels.map((value, k) => value - noisy.pixels[k]))).toBeLessThan(1e-6);
  });
});
