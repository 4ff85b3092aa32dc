import { describe, expect, test } from "vitest";
import { packagePriors } from "../../node/denoising-priors.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import { patchDensityOf } from "../../src/denoising/expanded-estimates.js";
import { densityOf } from "../../src/density/density-of.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { noisyScene } from "../support/scenes.js";

const sigma = 25 / 255;
const shelf = packagePriors();
const [prior] = (await shelf.list("gdn")).filter((each) => each.sigma === 25);
const model = await shelf.model(prior.path);
const { clean, noisy } = noisyScene(64, 48, sigma);

describe("estimates with an expanded determinant", () => {
  test("are nearly those with the determinant itself", async () => {
    const density = densityOf(model, simdRunner);
    const [exact, expanded] = await Promise.all(
      [false, true].map((isExpanded) =>
        denoiseImage(density, noisy, { sigma, stride: 3, isExpanded }),
      ),
    );
    expect(expanded.pixels).not.toEqual(exact.pixels);
    const [one, other] = [exact, expanded].map((image) => psnrInDecibels(image, clean));
    expect(Math.abs(one - other)).toBeLessThan(0.02);
    const removed = Math.hypot(...exact.pixels.map((value, k) => value - noisy.pixels[k]));
    const change = Math.hypot(...exact.pixels.map((value, k) => value - expanded.pixels[k]));
    expect(change).toBeLessThan(0.02 * removed);
  });

  test("are the same in Float64, up to the precision of Float32", async () => {
    const small = noisyScene(16, 11, sigma).noisy;
    const options = { sigma, stride: 2, isExpanded: true };
    const [single, double] = await Promise.all(
      [simdRunner, referenceRunner].map((runner) =>
        denoiseImage(densityOf(model, runner), small, options),
      ),
    );
    single.pixels.forEach((value, k) => {
      expect(value).toBeCloseTo(double.pixels[k], 4);
    });
  });
});

test("densities of other kinds have no expansion", () => {
  const { transform } = model;
  expect(patchDensityOf(affine({ dimension: 64 }))).toBeNull();
  expect(patchDensityOf(cascade([transform as never, transform as never]))).toBeNull();
});
