import { describe, test } from "vitest";
import { denoiseByWiener } from "../../src/denoising/wiener.js";
import { joinWavelets, splitIntoWavelets } from "../../src/wavelets/orthonormal-wavelet.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { noisyScene } from "../support/scenes.js";
import { expectError } from "../support/expect-error.js";

describe("denoiseByWiener", () => {
  test("measures the variance in a window around each coefficient", async () => {
    const flat = { width: 64, height: 64, pixels: new Float32Array(64 * 64) };
    const options = { wavelet: "haar", scales: 1 } as const;
    const bands = splitIntoWavelets(flat, options);
    const at = (x: number, y: number): number => y * 32 + x;
    const { values } = bands.details[0].diagonal;
    [values[at(10, 12)], values[at(11, 14)]] = [3, -2];
    const image = { ...flat, pixels: new Float32Array(joinWavelets(bands).pixels) };
    const sigma = 0.4;
    const denoised = await denoiseByWiener(image, { ...options, sigma });
    const found = splitIntoWavelets(denoised, options).details[0].diagonal.values;
    // Both are in the windows of both: (9 + 4)/25 on average.
    const gain = (13 / 25 - sigma ** 2) / (13 / 25);
    const expected = new Float64Array(values.length);
    [expected[at(10, 12)], expected[at(11, 14)]] = [3 * gain, -2 * gain];
    expectClose(found, expected, { absolute: 8 * float32Epsilon });
    // In 3×3 windows they are alone.
    const alone = await denoiseByWiener(image, { ...options, sigma, window: 3 });
    const narrow = splitIntoWavelets(alone, options).details[0].diagonal.values;
    const tolerance = { absolute: 8 * float32Epsilon };
    expectClose(narrow[at(10, 12)], 3 * (1 - sigma ** 2), tolerance);
    expectClose(narrow[at(11, 14)], (-2 * (4 / 9 - sigma ** 2)) / (4 / 9), tolerance);
  });

  test.each([0, 2, 1.5, 65])("rejects a window of %d", async (window) => {
    const { noisy } = noisyScene(16, 16, 0.1);
    await expectError(denoiseByWiener(noisy, { sigma: 0.1, window }), {
      code: "invalid-argument",
      argument: "window",
      phrase: "1 to 63",
    });
  });
});
