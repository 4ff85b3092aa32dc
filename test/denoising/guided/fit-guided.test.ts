import { beforeAll, describe, expect, test } from "vitest";
import { densityOf } from "../../../src/density/density-of.js";
import { denoiseImage } from "../../../src/denoising/denoise-image.js";
import { denoiseGuided, guideStride } from "../../../src/denoising/guided/denoise-guided.js";
import { denoiseLast } from "../../../src/denoising/guided/denoise-last.js";
import { fitGuided } from "../../../src/denoising/guided/fit-guided.js";
import type { GuidedDensities } from "../../../src/denoising/guided/guided-density.js";
import { decodeGuided, encodeGuided } from "../../../src/denoising/guided/guided-file.js";
import { denoiseSelfSimilar } from "../../../src/denoising/self-similar/denoise-similar.js";
import { decodeModel, encodeModel } from "../../../src/density/model-files/model-file.js";
import type { Model } from "../../../src/density/model-files/model.js";
import { type Tensor, encodeSafetensors } from "../../../src/density/model-files/safetensors.js";
import { psnrInDecibels } from "../../../src/evaluation/picture-quality.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fitModel } from "../../../src/training/fit-model.js";
import { withWhiteNoise } from "../../../src/preprocessing/white-noise.js";
import { simdRunner as runner } from "../../support/inline-runners.js";
import { noisyScene } from "../../support/scenes.js";
import { seed } from "../../support/seed.js";
import { sentenceOf } from "../../support/expect-error.js";

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
let last: GuidedDensities;
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
      luminance: "grey",
      dequantize: false,
      noiseLevel: sigma,
      layout: { size, removeMean: false },
    },
    preprocessing: "standardize",
    steps: 100,
    batch: 128,
    heldOut: 0,
    seed,
  }));
  const onStep = (_: number, loss: number): void => void losses.push(loss);
  guided = await fitGuided(runner, { ...common, prior, steps: 60, onStep });
  last = await fitGuided(runner, { ...common, prior, earlier: guided, steps: 40 });
});

const twice = async (noisy: GreyImage, level = sigma, stride = 1): Promise<GreyImage> => {
  const guide = await denoiseImage(densityOf(prior, runner), noisy, {
    sigma: level,
    stride: guideStride,
  });
  return denoiseGuided(runner, guided, noisy, guide, { sigma: level, strides: [2, stride] });
};

describe("a guided round", () => {
  test("leaves less noise in a new picture", async () => {
    const { clean, noisy } = noisyScene(128, 112, sigma);
    const once = psnrInDecibels(
      await denoiseImage(densityOf(prior, runner), noisy, { sigma }),
      clean,
    );
    const again = psnrInDecibels(await twice(noisy), clean);
    expect(again).toBeGreaterThan(once + 0.3);
  });

  test("has less error after the fit", () => {
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(losses).toHaveLength(60);
    expect(mean(losses.slice(-15))).toBeLessThan(mean(losses.slice(0, 10)));
  });

  test("serves for other noise levels after a change of contrast", async () => {
    const { clean, noisy } = noisyScene(96, 96, sigma / 2);
    const again = psnrInDecibels(await twice(noisy, sigma / 2), clean);
    expect(again).toBeGreaterThan(psnrInDecibels(noisy, clean) + 3);
  });

  test("covers every pixel with any stride, and pictures smaller than a patch", async () => {
    const { noisy } = noisyScene(33, 21, sigma);
    for (const stride of [1, 3, size]) {
      const { pixels } = await twice(noisy, sigma, stride);
      expect(pixels.every(Number.isFinite)).toBe(true);
    }
    const tiny = { width: 3, height: 2, pixels: Float32Array.from([0.1, 0.9, 0.5, 0.3, 0.2, 0.7]) };
    const { width, height, pixels } = await twice(tiny);
    expect([width, height, pixels.length]).toEqual([3, 2, 6]);
    expect(pixels.every((value) => value > -0.5 && value < 1.5)).toBe(true);
    // Less than one row of a patch: corners must refer to the extended picture.
    const line = { width: 2, height: 1, pixels: Float32Array.from([0.4, 0.6]) };
    expect((await twice(line)).pixels.every(Number.isFinite)).toBe(true);
  });

  test("is repeated: with stride 2 first, then at every pixel, guided by the result", async () => {
    const { noisy } = noisyScene(40, 32, sigma);
    const guide = await denoiseImage(densityOf(prior, runner), noisy, {
      sigma,
      stride: guideStride,
    });
    const once = (stride: number) => ({ sigma, strides: [stride] });
    const first = await denoiseGuided(runner, guided, noisy, guide, once(2));
    const second = await denoiseGuided(runner, guided, noisy, first, once(1));
    const reports: [number, number][] = [];
    const both = await denoiseGuided(runner, guided, noisy, guide, {
      sigma,
      onProgress: (done, total) => reports.push([done, total]),
    });
    expect(both.pixels).not.toEqual(first.pixels);
    // Contrasts are changed and changed back in between, in single precision.
    both.pixels.forEach((value, k) => {
      expect(Math.abs(value - second.pixels[k])).toBeLessThan(1e-4);
    });
    const [done, total] = reports[reports.length - 1];
    expect(done).toBe(total);
    expect(reports.every(([a], k) => k === 0 || a >= reports[k - 1][0])).toBe(true);
  });

  test("changes nothing without noise", async () => {
    const { noisy } = noisyScene(32, 32, sigma);
    const same = await denoiseGuided(runner, guided, noisy, noisy, { sigma: 0 });
    expect(same.pixels).toEqual(noisy.pixels);
  });

  test("rejects a guide of another size, and invalid options", async () => {
    const { noisy } = noisyScene(32, 32, sigma);
    const other = noisyScene(33, 32, sigma).noisy;
    const ask = (guide: GreyImage, options: Parameters<typeof denoiseGuided>[4]) =>
      denoiseGuided(runner, guided, noisy, guide, options);
    expect(await sentenceOf(ask(other, { sigma }))).toMatch(/guide.*32×32.*33×32/);
    expect(await sentenceOf(ask(noisy, { sigma: -1 }))).toMatch(/sigma/);
    expect(await sentenceOf(ask(noisy, { sigma: 1e-44 }))).toMatch(/finite/);
    const holed = { ...noisy, pixels: noisy.pixels.map((value, k) => (k === 7 ? NaN : value)) };
    expect(await sentenceOf(ask(holed, { sigma }))).toMatch(
      /column 7 of row 0 of the guide.*finite/,
    );
    expect(await sentenceOf(ask(noisy, { sigma, strides: [5] }))).toMatch(/stride.*1 to 4/);
    expect(await sentenceOf(ask(noisy, { sigma, strides: [] }))).toMatch(/strides.*1 to 3 numbers/);
  });

  test("can be fitted to pictures smaller than its crops", async () => {
    const small = { width: 9, height: 14, pixels: new Float32Array(9 * 14).fill(0.5) };
    const mixed = (index: number) => (index === 0 ? Promise.resolve(small) : load(index));
    const own = await fitGuided(runner, { ...common, load: mixed, prior, steps: 4 });
    expect(own.experts.every(({ H }) => H.every(Number.isFinite))).toBe(true);
  });

  test.each([
    [{ steps: -1 }, /steps.*positive integer.*-1/],
    [{ crops: 1.5 }, /crops.*positive integer/],
    [{ images: 0 }, /images.*positive integer/],
    [{ learningRate: NaN }, /learningRate.*positive/],
    [{ noiseLevel: -1 }, /noiseLevel.*positive/],
    [{ classes: { strengths: [0.8, 0.4], coherences: 2 } }, /strengths.*rising/],
    [{ classes: { strengths: [2], coherences: 2 } }, /strengths/],
    [{ classes: { strengths: [0.5], coherences: 0 } }, /coherences.*1 to 16/],
  ])("rejects %j before any work", async (wrong, sentence) => {
    expect(await sentenceOf(fitGuided(runner, { ...common, prior, ...wrong }))).toMatch(sentence);
  });

  test("is fitted with the same bits again, and stops when aborted", async () => {
    const small = { ...common, images: 2, prior, steps: 3 };
    const [a, b] = [await fitGuided(runner, small), await fitGuided(runner, small)];
    expect(encodeGuided(a)).toEqual(encodeGuided(b));
    const signal = AbortSignal.abort();
    await expect(fitGuided(runner, { ...small, signal })).rejects.toThrow();
  });
});

describe("the last round", () => {
  const guideOf = async (noisy: GreyImage): Promise<GreyImage> =>
    denoiseSelfSimilar(runner, noisy, await twice(noisy), { sigma });

  test("leaves less noise than its guide", async () => {
    const { clean, noisy } = noisyScene(128, 112, sigma);
    const guide = await guideOf(noisy);
    const estimate = await denoiseLast(runner, last, noisy, guide, { sigma });
    expect(psnrInDecibels(estimate, clean)).toBeGreaterThan(psnrInDecibels(guide, clean));
  });

  test("covers every pixel with any stride, and pictures smaller than a patch", async () => {
    for (const { noisy } of [noisyScene(33, 21, sigma), noisyScene(3, 2, sigma)]) {
      for (const stride of [1, 3, size]) {
        const done: [number, number][] = [];
        const { width, height, pixels } = await denoiseLast(runner, last, noisy, noisy, {
          sigma,
          stride,
          onProgress: (...report) => void done.push(report),
        });
        expect([width, height]).toEqual([noisy.width, noisy.height]);
        expect(pixels.every(Number.isFinite)).toBe(true);
        const [seen, total] = done[done.length - 1];
        expect(seen).toBe(total);
      }
    }
  });

  test("has the same result wherever the tiles of 128 pixels end", async () => {
    const { noisy } = noisyScene(150, 20, sigma);
    const part = (image: GreyImage, left: number): GreyImage => ({
      width: 60,
      height: 20,
      pixels: Float32Array.from(
        { length: 1200 },
        (_, k) => image.pixels[Math.floor(k / 60) * image.width + left + (k % 60)],
      ),
    });
    const whole = await denoiseLast(runner, last, noisy, noisy, { sigma });
    const own = await denoiseLast(runner, last, part(noisy, 90), part(noisy, 90), { sigma });
    // Pixels whose patches, and the blocks around them, lie inside the part.
    for (let k = 0; k < 1200; k++) {
      const column = k % 60;
      if (column < 16 || column >= 44) continue;
      const at = Math.floor(k / 60) * noisy.width + 90 + column;
      expect(Math.abs(own.pixels[k] - whole.pixels[at])).toBeLessThan(1e-5);
    }
  });

  test("changes nothing without noise, and rejects other densities and options", async () => {
    const { noisy } = noisyScene(32, 32, sigma);
    const ask = (of: GuidedDensities, options: Parameters<typeof denoiseLast>[4]) =>
      denoiseLast(runner, of, noisy, noisy, options);
    expect((await ask(last, { sigma: 0 })).pixels).toEqual(noisy.pixels);
    expect(await sentenceOf(ask(guided, { sigma }))).toMatch(/last round/);
    expect(await sentenceOf(ask(last, { sigma: NaN }))).toMatch(/sigma/);
    expect(await sentenceOf(ask(last, { sigma, stride: 9 }))).toMatch(/stride.*1 to 4/);
  });

  test("is fitted with the same bits in whatever order tasks are done", async () => {
    const small = { ...common, crops: 40, images: 2, prior, earlier: guided, steps: 2 };
    const reversed: TaskRunner = {
      size: 1,
      kernels: runner.kernels,
      close: () => Promise.resolve(),
      run: async (job, shared, inputs, options) => {
        const backwards = {
          length: inputs.length,
          at: (k: number) => inputs.at(inputs.length - 1 - k),
        };
        return (await runner.run(job, shared, backwards, options)).reverse();
      },
    };
    const [a, b] = [await fitGuided(runner, small), await fitGuided(reversed, small)];
    expect(encodeGuided({ ...guided, last: a })).toEqual(encodeGuided({ ...guided, last: b }));
  });
});

describe("a file of guided densities", () => {
  test("keeps them bit for bit", () => {
    const about = { data: "leaves" };
    expect(decodeGuided(encodeGuided(guided, about))).toEqual({ guided, about });
  });

  test("is rejected with its name if damaged", async () => {
    const read = (bytes: Uint8Array) =>
      Promise.resolve().then(() => decodeGuided(bytes, "g.safetensors"));
    expect(await sentenceOf(read(new Uint8Array(4)))).toMatch(/^g\.safetensors: /);
    expect(await sentenceOf(read(encodeGuided(guided).subarray(0, 9000)))).toMatch(
      /^g\.safetensors: /,
    );
    const wrong = { ...guided, experts: guided.experts.slice(1) };
    expect(() => encodeGuided(wrong)).toThrow(/experts/);
    const withFirst = (other: Partial<GuidedDensities["experts"][number]>): GuidedDensities => ({
      ...guided,
      experts: [{ ...guided.experts[0], ...other }, ...guided.experts.slice(1)],
    });
    const beta = guided.experts[0].beta.map(() => NaN);
    expect(() => encodeGuided(withFirst({ beta }))).toThrow(/beta of expert 0/);
    const alpha = guided.experts[0].alpha.map(() => 1e30);
    expect(() => encodeGuided(withFirst({ alpha }))).toThrow(/alpha of expert 0.*1 to 4/);
    expect(() => encodeGuided({ ...guided, noiseLevel: 0 })).toThrow(/noiseLevel/);
  });

  /** With texts or tensors that no program of ours writes. */
  const forged = (
    metadata: Record<string, string>,
    tensors: readonly Tensor[] = [],
  ): (() => unknown) => {
    const bytes = encodeSafetensors(tensors, {
      format: "gaussianize-guided",
      version: "1",
      ...metadata,
    });
    return () => decodeGuided(bytes, "g.safetensors");
  };
  const settingsWith = (other: object): { settings: string } => {
    const { size: side, noiseLevel, scale, shift, bounds } = guided;
    const settings = { size: side, noiseLevel, scale, shift, bounds };
    return { settings: JSON.stringify({ ...settings, ...other }) };
  };

  test("is rejected before memory is allocated for excessive sizes", () => {
    const rising = Array.from({ length: 2000 }, (_, k) => k + 1);
    const bounds = { strengths: rising, coherences: rising };
    expect(forged(settingsWith({ size: 0, bounds }))).toThrow(/side of a patch/);
    expect(forged(settingsWith({ bounds }))).toThrow(/classes.*at most 1024/);
    expect(forged(settingsWith({ bounds: null }))).toThrow(/bounds/);
    expect(forged(settingsWith({ scale: "1" }))).toThrow(/scale.*number/);
    expect(forged({ settings: "no JSON" })).toThrow(/settings/);
  });

  test("is rejected with other shapes, versions and formats, which the error names", () => {
    const H = { name: "H", shape: [2, 8], values: new Float32Array(16) };
    expect(forged(settingsWith({}), [H])).toThrow(/tensor H.*16×16 F16 or F32.*2×8 F32/);
    expect(forged(settingsWith({}))).toThrow(/tensors.*H/);
    expect(forged({ ...settingsWith({}), version: "2" })).toThrow(/version "2".*version "1"/);
    expect(() => decodeGuided(encodeModel(prior), "m")).toThrow(/^m: This is a model/);
    expect(() => decodeModel(encodeGuided(guided), "g")).toThrow(/^g: These are guided densities/);
  });
});
