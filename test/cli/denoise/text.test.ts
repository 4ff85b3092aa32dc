import { describe, expect, test } from "vitest";
import { type Result, jsonOf, pictureText } from "../../../cli/denoise/text.js";

const plain: Result = {
  path: "a.png",
  width: 8,
  height: 6,
  channels: 1,
  bitDepth: 8,
  sigma: 24.93,
  sigmaInFile: 24.93,
  isEstimated: true,
  noise: { kind: "white" },
  channelSigmas: [24.93],
  models: [],
  isUnchanged: false,
  notKept: [],
  seconds: 1.26,
};
const picture: Result = { ...plain, output: "b.png" };

describe("pictureText", () => {
  test("names the noise level of 8-bit pictures once", () => {
    expect(pictureText(picture)).toBe("a.png → b.png, σ = 24.9 (estimated), 1.3 s");
    expect(pictureText({ ...picture, isEstimated: false })).toBe("a.png → b.png, σ = 24.9, 1.3 s");
  });

  test("shows an infinite PSNR for equal pictures", () => {
    const equal = { noisy: { psnr: Infinity, ssim: 1 }, psnr: 48.123, ssim: 0.99996 };
    expect(pictureText({ ...picture, ...equal })).toContain("∞ → 48.12 dB, SSIM 1.0000 → 1.0000");
  });

  test("adds the noise level in the units of 16-bit and floating-point files", () => {
    const deep = { ...picture, bitDepth: 16, sigmaInFile: 6407.01 } as const;
    expect(pictureText(deep)).toBe(
      "a.png → b.png, σ = 24.9 (6410 in the units of the file, estimated), 1.3 s",
    );
    const float = { ...deep, bitDepth: "float", sigmaInFile: 0.09776, isEstimated: false } as const;
    expect(pictureText(float)).toContain("σ = 24.9 (0.0978 in the units of the file), ");
  });
});

const measured: Result = {
  ...picture,
  comparison: "b-compare.png",
  reference: "c.png",
  noisy: { psnr: 20, ssim: 0.5 },
  psnr: 28,
  ssim: 0.8,
};
const other: Result = { ...measured, noisy: { psnr: 22, ssim: 0.3 }, psnr: 29, ssim: 0.9 };

interface Parsed {
  readonly images: readonly Record<string, unknown>[];
  readonly mean: unknown;
}
const parsed = (results: readonly Result[], options = {}): Parsed => {
  const asked = { method: "gdn", seed: 1, ...options } as const;
  return JSON.parse(jsonOf(asked, { results, failures: [], warnings: [] })) as Parsed;
};

describe("jsonOf", () => {
  test("has null for anything not asked or not known", () => {
    const all = parsed([plain]);
    const unasked = { rounds: null, stride: null, model: null, selfSteps: null, addNoise: null };
    expect(all).toMatchObject({ ...unasked, self: false, mean: null, failed: [], warnings: [] });
    const unknown = { output: null, comparison: null, reference: null, noisy: null };
    expect(all.images[0]).toMatchObject({ ...unknown, psnr: null, ssim: null });
  });

  test("has the same keys in the same order, whatever is known", () => {
    const [all, more] = [
      parsed([plain]),
      parsed([measured], { rounds: 1, model: "m", self: true }),
    ];
    expect(Object.keys(more)).toEqual(Object.keys(all));
    expect(Object.keys(more.images[0])).toEqual(Object.keys(all.images[0]));
  });

  test("has the means of the measured pictures", () => {
    const { mean } = parsed([measured, plain, other]);
    const close = (value: number): unknown => expect.closeTo(value, 12) as unknown;
    expect(mean).toEqual({
      psnr: 28.5,
      ssim: close(0.85),
      noisy: { psnr: 21, ssim: close(0.4) },
    });
  });
});
