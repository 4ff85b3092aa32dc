import { expect, test } from "vitest";
import { denoise } from "gaussianize/node";
import { denoisePicture } from "../../src/denoising/denoise-picture.js";
import { packagePriors } from "../../node/denoising-priors.js";
import { noisyScene } from "../support/scenes.js";
import { simdRunner } from "../support/inline-runners.js";

test("denoise uses the priors of the package, and gives the bits of denoisePicture", async () => {
  const { noisy } = noisyScene(24, 24, 0.1);
  const picture = { width: noisy.width, height: noisy.height, channels: [noisy.pixels] };
  const options = { sigma: 0.1, rounds: 1, stride: 4 };
  const clean = await denoise(picture, options);
  const wanted = await denoisePicture(simdRunner, packagePriors(), picture, options);
  expect(clean.channels).toEqual(wanted.channels);
  expect(clean.priors).toEqual(wanted.priors);
});
