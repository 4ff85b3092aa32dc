import { expect, test } from "vitest";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import { densityOf } from "../../src/density/density-of.js";
import { mixture, symmetricMixture } from "../../src/density/mixtures/mixture.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner } from "../support/inline-runners.js";

const sigma = 0.1;
const image = (pixels: Float32Array) => ({ width: 2, height: 2, pixels });

/** Normal values with independent pixels: the density of a noisy patch is normal, too. */
function noisyNormal(mean: readonly number[], deviation: number) {
  const all = Math.sqrt(deviation * deviation + sigma * sigma);
  return affine({
    dimension: 4,
    scale: mean.map(() => 1 / all),
    shift: mean.map((value) => -value / all),
  });
}

test("the estimate is the posterior mean of a mixture of normal patches", async () => {
  const parts = [
    { mean: [0.2, 0.3, 0.4, 0.1], deviation: 0.05, weight: 0.3 },
    { mean: [0.6, 0.2, 0.5, 0.4], deviation: 0.2, weight: 0.7 },
  ];
  const transform = mixture({
    components: parts.map(({ mean, deviation }) => noisyNormal(mean, deviation)),
    weights: parts.map(({ weight }) => weight),
  });
  const about = { patch: { width: 2, height: 2 }, preprocessing: { noiseLevel: sigma } };
  const density = densityOf({ transform, about }, referenceRunner);
  const random = createRandom(8, "patches");
  for (let k = 0; k < 5; k++) {
    const noisy = image(Float32Array.from({ length: 4 }, () => 0.3 + 0.2 * random.normal()));
    const { pixels } = await denoiseImage(density, noisy, { sigma, bounded: false });
    // E(x | x̃) = Σ_k r_k (m_k + s_k²/(s_k² + σ²) (x̃ − m_k)), r_k ∝ π_k p_k(x̃).
    const shares = parts.map(({ mean, deviation, weight }) => {
      const variance = deviation ** 2 + sigma ** 2;
      const square = mean.reduce((sum, m, i) => sum + (noisy.pixels[i] - m) ** 2, 0);
      return weight * Math.exp(-square / (2 * variance)) * variance ** -2;
    });
    const total = shares.reduce((sum, value) => sum + value, 0);
    const wanted = Float64Array.from(noisy.pixels, (value, i) =>
      parts.reduce((sum, { mean, deviation }, part) => {
        const kept = deviation ** 2 / (deviation ** 2 + sigma ** 2);
        return sum + (shares[part] / total) * (mean[i] + kept * (value - mean[i]));
      }, 0),
    );
    expectClose(pixels, wanted, { absolute: 1e-6 });
  }
});

test("a symmetric mixture turns the estimate with the picture", async () => {
  const density = densityOf(
    {
      transform: symmetricMixture({ side: 2, density: noisyNormal([0.1, 0.9, 0.4, 0.2], 0.1) }),
      about: { patch: { width: 2, height: 2 } },
    },
    referenceRunner,
  );
  const noisy = Float32Array.of(0.2, 0.7, 0.5, 0.1);
  const turned = Float32Array.of(0.7, 0.1, 0.2, 0.5);
  const [a, b] = await Promise.all(
    [noisy, turned].map((pixels) => denoiseImage(density, image(pixels), { sigma })),
  );
  expectClose(
    b.pixels,
    [1, 3, 0, 2].map((k) => a.pixels[k]),
    { absolute: 1e-6 },
  );
  expect(a.pixels).not.toEqual(noisy);
});
