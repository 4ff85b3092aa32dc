import { describe, expect, test } from "vitest";
import { pictureText } from "../../../cli/denoise/text.js";

const picture: Parameters<typeof pictureText>[0] = {
  path: "a.png",
  output: "b.png",
  width: 8,
  height: 6,
  channels: 1,
  bitDepth: 8,
  sigma: 24.93,
  sigmaInFile: 24.93,
  isEstimated: true,
  channelSigmas: [24.93],
  models: [],
  isUnchanged: false,
  notKept: [],
  seconds: 1.26,
};

describe("pictureText", () => {
  test("tells the noise of 8 bits once", () => {
    expect(pictureText(picture)).toBe("a.png → b.png, σ = 24.9 (estimated), 1.3 s");
    expect(pictureText({ ...picture, isEstimated: false })).toBe("a.png → b.png, σ = 24.9, 1.3 s");
  });

  test("knows that equal pictures have no error", () => {
    const equal = { noisy: { psnr: Infinity, ssim: 1 }, psnr: 48.123, ssim: 0.99996 };
    expect(pictureText({ ...picture, ...equal })).toContain("∞ → 48.12 dB, SSIM 1.0000 → 1.0000");
  });

  test("tells the noise of others in the units of the file, too", () => {
    const deep = { ...picture, bitDepth: 16, sigmaInFile: 6407.01 } as const;
    expect(pictureText(deep)).toBe(
      "a.png → b.png, σ = 24.9 (6410 in the units of the file, estimated), 1.3 s",
    );
    const float = { ...deep, bitDepth: "float", sigmaInFile: 0.09776, isEstimated: false } as const;
    expect(pictureText(float)).toContain("σ = 24.9 (0.0978 in the units of the file), ");
  });
});
