import { describe, expect, test } from "vitest";
import { noiseDoubt, withPictureNoise } from "../../src/denoising/picture-noise.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

const pictureOf = (width: number, height: number, valueAt: (k: number) => number) => ({
  width,
  height,
  channels: [Float32Array.from({ length: width * height }, (_, k) => valueAt(k))],
});

describe(`withPictureNoise (seed ${seed})`, () => {
  const picture = pictureOf(5, 3, (k) => k / 15);
  const twice = { ...picture, channels: [picture.channels[0], picture.channels[0]] };

  test("depends on the seed, the name and the channel, and on nothing else", () => {
    const noise = { sigma: 0.1, seed: 3, name: "a.png" };
    const [first, second] = withPictureNoise(twice, noise).channels;
    expect(first).not.toEqual(second);
    expect(withPictureNoise(picture, noise).channels[0]).toEqual(first);
    expect(withPictureNoise(picture, { ...noise, name: "b.png" }).channels[0]).not.toEqual(first);
    expect(withPictureNoise(picture, { ...noise, seed: 4 }).channels[0]).not.toEqual(first);
  });
});

describe(`noiseDoubt (seed ${seed})`, () => {
  const values = createRandom(seed, "doubt").normalFill(new Float32Array(64 * 64));
  const around = (mean: number) => (k: number) =>
    Math.min(1, Math.max(0, mean + 0.1 * (values[k] ?? 0)));

  test("reports tiny pictures with their size", () => {
    const doubt = { kind: "few pixels", width: 33, height: 31 };
    expect(noiseDoubt(pictureOf(33, 31, around(0.5)), 0.1)).toEqual(doubt);
    expect(noiseDoubt(pictureOf(32, 32, around(0.5)), 0.1)).toBeUndefined();
  });

  test("reports pictures that are mostly clipped", () => {
    expect(noiseDoubt(pictureOf(64, 64, around(0)), 0.1)).toBeUndefined();
    const doubt = noiseDoubt(pictureOf(64, 64, around(-0.1)), 0.1);
    // Below one standard deviation: 84 %, within 3 standard errors of 4096 pixels.
    expect(doubt?.kind === "clipped" && Math.abs(doubt.share - 0.8413) < 0.018).toBe(true);
  });

  test("counts a pixel once, whichever of its channels is clipped", () => {
    const half = pictureOf(64, 64, (k) => (k % 2 === 0 ? 0 : 0.5));
    const other = half.channels[0].map((value) => 0.5 - value);
    expect(noiseDoubt(half, 0.1)).toBeUndefined();
    const all = { ...half, channels: [half.channels[0], other, other] };
    expect(noiseDoubt(all, 0.1)).toEqual({ kind: "clipped", share: 1 });
  });
});
