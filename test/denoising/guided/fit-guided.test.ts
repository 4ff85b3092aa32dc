import { beforeAll, describe, expect, it } from "vitest";
import { denoiseImage } from "../../../src/denoising/empirical-bayes.js";
import { denoiseGuided, guideStride } from "../../../src/denoising/guided/denoise-guided.js";
import { fitGuided } from "../../../src/denoising/guided/fit-guided.js";
import type { GuidedDensities } from "../../../src/denoising/guided/guided-density.js";
import { decodeGuided, encodeGuided } from "../../../src/denoising/guided/guided-file.js";
import type { Model } from "../../../src/density/model-files/model.js";
import { psnrInDecibels } from "../../../src/evaluation/psnr.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fitModel } from "../../../src/training/fit-model.js";
import { withWhiteNoise } from "../../../src/preprocessing/white-noise.js";
import { simdRunner as runner } from "../../support/inline-runners.js";
import { noisyScene } from "../../support/noisy-scene.js";
import { seed } from "../../support/seed.js";
import { sentenceOf } from "../../support/sentence-of.js";

const sigma = 0.15;
const size = 4;
const leaves = { smallestRadius: 4, largestRadius: 40 };
const scenes = Array.from({ length: 3 }, (_, k) =>
  deadLeaves(createRandom(seed, "guided", k), { width: 64, height: 64, ...leaves }),
);
const load = (index: number): Promise<GreyImage> => Promise.resolve(scenes[index]);
const classes = { strengths: [0.5, 0.8], coherences: 2 };
const common = { images: scenes.length, load, classes, crops: 16, seed };

let prior: Model;
let guided: GuidedDensities;
const losses: number[] = [];
beforeAll(async () => {
  ({ model: prior } = await fitModel(runner, {
    model: "gdn",
    images: scenes.length,
    load: (index) => {
      const image = scenes[index];
      const random = createRandom(seed, "guided noise", index);
      return Promise.resolve({ ...image, pixels: withWhiteNoise(image.pixels, sigma, random) });
    },
    reading: {
      ...{ luminance: "grey", dequantize: false, noiseLevel: sigma },
      layout: { size, removeMean: false },
    },
    ...{ preprocessing: "standardize", steps: 100, batch: 128, heldOut: 0, seed },
  }));
  const onStep = (_: number, loss: number): void => void losses.push(loss);
  guided = await fitGuided(runner, { ...common, prior, steps: 60, onStep });
}, 60_000);

const twice = async (noisy: GreyImage, level = sigma, stride = 1): Promise<GreyImage> => {
  const guide = await denoiseImage(runner, prior, noisy, { sigma: level, stride: guideStride });
  return denoiseGuided(runner, guided, noisy, guide, { sigma: level, stride });
};

describe("a second look", () => {
  it("leaves less noise in a picture that it has not seen", async () => {
    const { clean, noisy } = noisyScene(128, 112, sigma);
    const once = psnrInDecibels(await denoiseImage(runner, prior, noisy, { sigma }), clean);
    const again = psnrInDecibels(await twice(noisy), clean);
    expect(again).toBeGreaterThan(once + 0.3);
  });

  it("lowers its error as it is fitted", () => {
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(losses).toHaveLength(60);
    expect(mean(losses.slice(-15))).toBeLessThan(mean(losses.slice(0, 10)));
  });

  it("serves for other noise, if the contrast is changed", async () => {
    const { clean, noisy } = noisyScene(96, 96, sigma / 2);
    const again = psnrInDecibels(await twice(noisy, sigma / 2), clean);
    expect(again).toBeGreaterThan(psnrInDecibels(noisy, clean) + 3);
  });

  it("covers every pixel with any stride, and pictures smaller than a patch", async () => {
    const { noisy } = noisyScene(33, 21, sigma);
    for (const stride of [1, 3, size]) {
      const { pixels } = await twice(noisy, sigma, stride);
      expect(pixels.every(Number.isFinite)).toBe(true);
    }
    const tiny = { width: 3, height: 2, pixels: Float32Array.from([0.1, 0.9, 0.5, 0.3, 0.2, 0.7]) };
    const { width, height, pixels } = await twice(tiny);
    expect([width, height, pixels.length]).toEqual([3, 2, 6]);
  });

  it("changes nothing without noise", async () => {
    const { noisy } = noisyScene(32, 32, sigma);
    const same = await denoiseGuided(runner, guided, noisy, noisy, { sigma: 0 });
    expect(same.pixels).toEqual(noisy.pixels);
  });

  it("refuses a guide of another size, and bad options", async () => {
    const { noisy } = noisyScene(32, 32, sigma);
    const other = noisyScene(33, 32, sigma).noisy;
    const ask = (guide: GreyImage, options: Parameters<typeof denoiseGuided>[4]) =>
      denoiseGuided(runner, guided, noisy, guide, options);
    expect(await sentenceOf(ask(other, { sigma }))).toMatch(/guide.*32×32.*33×32/);
    expect(await sentenceOf(ask(noisy, { sigma: -1 }))).toMatch(/sigma/);
    expect(await sentenceOf(ask(noisy, { sigma, stride: 5 }))).toMatch(/stride.*1 to 4/);
  });

  it("is fitted to the same bits again, and stops when told", async () => {
    const small = { ...common, images: 2, prior, steps: 3 };
    const [a, b] = [await fitGuided(runner, small), await fitGuided(runner, small)];
    expect(encodeGuided(a)).toEqual(encodeGuided(b));
    const signal = AbortSignal.abort();
    await expect(fitGuided(runner, { ...small, signal })).rejects.toThrow();
  });
});

describe("a file of guided densities", () => {
  it("gives them back bit for bit", () => {
    expect(decodeGuided(encodeGuided(guided, { data: "leaves" }))).toEqual(guided);
  });

  it("is refused where something is wrong, in one sentence with its name", async () => {
    const read = (bytes: Uint8Array) =>
      Promise.resolve().then(() => decodeGuided(bytes, "g.safetensors"));
    expect(await sentenceOf(read(new Uint8Array(4)))).toMatch(/^g\.safetensors: /);
    expect(await sentenceOf(read(encodeGuided(guided).subarray(0, 9000)))).toMatch(
      /^g\.safetensors: /,
    );
    const wrong = { ...guided, experts: guided.experts.slice(1) };
    expect(() => encodeGuided(wrong)).toThrow(/experts/);
    const beta = guided.experts[0].beta.map(() => NaN);
    const broken = {
      ...guided,
      experts: [{ ...guided.experts[0], beta }, ...guided.experts.slice(1)],
    };
    expect(() => encodeGuided(broken)).toThrow(/beta of expert 0/);
    expect(() => encodeGuided({ ...guided, noiseLevel: 0 })).toThrow(/noiseLevel/);
  });
});
