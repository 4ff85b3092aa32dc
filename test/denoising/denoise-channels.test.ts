import { describe, expect, test } from "vitest";
import {
  channelNoiseLevels,
  denoiseChannels,
  overallNoiseLevel,
} from "../../src/denoising/denoise-channels.js";
import { decorrelateColours } from "../../src/images/colour-decorrelation.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const [width, height] = [24, 16];
const random = createRandom(seed, "denoise channels");
const pixels = (name: string, mean: number): Float32Array =>
  random
    .stream(name)
    .uniformFill(new Float32Array(width * height))
    .map((value) => mean + 0.3 * value);
const grey = { width, height, channels: [pixels("grey", 0.1)] };
const colour = {
  width,
  height,
  channels: [pixels("red", 0.6), pixels("green", 0.2), pixels("blue", -0.1)],
};
const same = (image: GreyImage): Promise<GreyImage> => Promise.resolve(image);
const meanOf = (values: Float32Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("denoiseChannels", () => {
  test("denoises a grey picture once, at mid-grey, with its noise level", async () => {
    const seen: [number, number, number][] = [];
    const [denoised] = await denoiseChannels(grey, [0.07], (image, sigma, channel) => {
      seen.push([meanOf(image.pixels), sigma, channel]);
      return same(image);
    });
    expect(seen).toEqual([[expect.closeTo(0.5, 6), 0.07, 0]]);
    // A shift and back, each rounded to 2⁻²⁴ of values below 1.
    expectClose(denoised, grey.channels[0], { absolute: 2 ** -22 });
  });

  test("denoises colours as brightness and two differences, each with its own level", async () => {
    const opponent = decorrelateColours(colour.channels);
    const levels = channelNoiseLevels(colour, 0.1);
    expectClose(levels, [0.1 / Math.sqrt(3), 0.1, 0.1], { absolute: 1e-12 });
    const seen: number[] = [];
    const denoised = await denoiseChannels(colour, levels, (image, sigma, channel) => {
      seen.push(channel);
      expect(sigma).toBe(levels[channel]);
      const offset = 0.5 - meanOf(opponent[channel]);
      const moved = opponent[channel].map((value) => value + offset);
      expectClose(image.pixels, moved, { absolute: 2 ** -22 });
      return same(image);
    });
    expect(seen).toEqual([0, 1, 2]);
    denoised.forEach((channel, k) => {
      expectClose(channel, colour.channels[k], { absolute: 2 ** -20 });
    });
  });

  test("turns a change of the first colour difference into changes of red and blue", async () => {
    const denoised = await denoiseChannels(colour, [0.1, 0.1, 0.1], (image, _, channel) =>
      Promise.resolve({ ...image, pixels: image.pixels.map((v) => (channel === 1 ? v + 0.1 : v)) }),
    );
    const change = 0.1 / Math.SQRT2;
    [change, 0, -change].forEach((difference, k) => {
      const moved = colour.channels[k].map((value) => value + difference);
      expectClose(denoised[k], moved, { absolute: 2 ** -20 });
    });
  });

  test.each([
    ["channels", { width, height, channels: colour.channels.slice(1) }, [1, 1]],
    ["levels", colour, [0.1]],
    ["sigma", grey, [-1]],
  ])("rejects wrong %s", async (argument, picture, levels) => {
    const wanted = { code: "invalid-argument", argument } as const;
    await expectError(denoiseChannels(picture, levels, same), wanted);
  });
});

describe("channelNoiseLevels", () => {
  const large = { width: 96, height: 96 };
  const noise = (name: string, sigma: number): Float32Array =>
    random
      .stream("noise", name)
      .normalFill(new Float32Array(96 * 96))
      .map((value) => 0.4 + sigma * value);

  test("estimates the level of each channel: within 5 % for noise alone", () => {
    const channels = [noise("red", 0.1), noise("green", 0.1), noise("blue", 0.1)];
    const levels = channelNoiseLevels({ ...large, channels });
    [0.1 / Math.sqrt(3), 0.1, 0.1].forEach((level, k) => {
      expect(Math.abs(levels[k] / level - 1)).toBeLessThan(0.05);
    });
    expect(Math.abs(overallNoiseLevel(levels) / 0.1 - 1)).toBeLessThan(0.05);
  });

  test("finds noise of red alone in brightness and both differences", () => {
    const still = new Float32Array(96 * 96).fill(0.3);
    const levels = channelNoiseLevels({ ...large, channels: [noise("red", 0.1), still, still] });
    [0.1 / 3, 0.1 / Math.SQRT2, 0.1 / Math.sqrt(6)].forEach((level, k) => {
      expect(Math.abs(levels[k] / level - 1)).toBeLessThan(0.05);
    });
    // A third of the variance that three such channels would have.
    expect(Math.abs(overallNoiseLevel(levels) / (0.1 / Math.sqrt(3)) - 1)).toBeLessThan(0.05);
  });

  test("ignores clipped pixels: within 10 %, though four fifths of the picture are white", () => {
    const noisy = noise("clipped", 0.1);
    const clipped = noisy.map((value, k) =>
      Math.min(1, Math.max(0, k % 96 < 76 ? value + 0.9 : value)),
    );
    const [level] = channelNoiseLevels({ ...large, channels: [clipped] });
    expect(Math.abs(level / 0.1 - 1)).toBeLessThan(0.1);
    // A picture that is all white.
    expect(channelNoiseLevels({ ...large, channels: [clipped.map(() => 1)] })).toEqual([0]);
  });

  test("finds all noise of a grey picture with three channels in its brightness", () => {
    const [own] = grey.channels;
    const threefold = { ...grey, channels: [own, own.slice(), own.slice()] };
    expect(channelNoiseLevels(threefold, 0.1)).toEqual([0.1, 0, 0]);
    expect(overallNoiseLevel([0.1, 0, 0])).toBeCloseTo(0.1, 12);
    expect(channelNoiseLevels(colour, 0.1)[1]).toBeCloseTo(0.1, 12);
  });

  test("is inverted by overallNoiseLevel", () => {
    expect(overallNoiseLevel(channelNoiseLevels(colour, 0.07))).toBeCloseTo(0.07, 12);
    expect(overallNoiseLevel(channelNoiseLevels(grey, 0.07))).toBe(0.07);
  });
});
