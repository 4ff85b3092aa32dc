import { describe, expect, test } from "vitest";
import { type Result, jsonOf } from "../../../cli/denoise/json.js";

const plain: Result = {
  path: "a.png",
  width: 8,
  height: 6,
  channels: 1,
  bitDepth: 8,
  sigma: 24,
  sigmaInFile: 24,
  isEstimated: true,
  channelSigmas: [24],
  models: [],
  isUnchanged: false,
  notKept: [],
  seconds: 1,
};
const measured: Result = {
  ...plain,
  output: "b.png",
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
  test("has null for what was not asked for, and for what is not known", () => {
    const all = parsed([plain]);
    const unasked = { rounds: null, stride: null, model: null, selfSteps: null, addNoise: null };
    expect(all).toMatchObject({ ...unasked, self: false, mean: null, failed: [], warnings: [] });
    const unknown = { output: null, comparison: null, reference: null, noisy: null };
    expect(all.images[0]).toMatchObject({ ...unknown, psnr: null, ssim: null });
  });

  test("has the same keys, in the same order, whatever is known", () => {
    const [all, more] = [
      parsed([plain]),
      parsed([measured], { rounds: 1, model: "m", self: true }),
    ];
    expect(Object.keys(more)).toEqual(Object.keys(all));
    expect(Object.keys(more.images[0])).toEqual(Object.keys(all.images[0]));
  });

  test("tells the means of what was measured", () => {
    const { mean } = parsed([measured, plain, other]);
    const close = (value: number): unknown => expect.closeTo(value, 12) as unknown;
    expect(mean).toEqual({
      psnr: 28.5,
      ssim: close(0.85),
      noisy: { psnr: 21, ssim: close(0.4) },
    });
  });
});
