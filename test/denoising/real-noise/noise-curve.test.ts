import { describe, expect, test } from "vitest";
import {
  curveThrough,
  noiseByBrightness,
  varianceAt,
} from "../../../src/denoising/real-noise/noise-curve.js";
import { expectClose } from "../../support/expect-close.js";
import { withPhotonNoise } from "../../support/noises.js";
import { noisyImage } from "../../support/scenes.js";
import { seed } from "../../support/seed.js";

/** A ramp with squares of other greys. */
const { clean, noisy } = noisyImage({ width: 192, height: 192 }, 20 / 255, (x, y) => {
  const isSquare = x % 64 < 32 && y % 64 < 32;
  return 0.1 + x / 240 + (isSquare ? 0.05 : 0);
});

describe(`curveThrough (seed ${seed})`, () => {
  test.each([1, 2, 3])("finds the noise of photons, stream %d", (stream) => {
    const [slope, offset] = [0.02, 0.0005];
    const estimate = curveThrough(noiseByBrightness(withPhotonNoise(clean, slope, offset, stream)));
    expect(estimate?.isSignalDependent).toBe(true);
    const curve = estimate?.curve ?? { slope: 0, offset: 0 };
    // Ten groups, each with a variance known to about 5 %.
    for (const x of [0.3, 0.5, 0.7]) {
      expectClose(varianceAt(curve, x), slope * x + offset, { relative: 0.12 });
    }
  });

  test("takes white noise for white", () => {
    const estimate = curveThrough(noiseByBrightness(noisy));
    expect(estimate?.isSignalDependent).toBe(false);
    expectClose(varianceAt(estimate?.curve ?? { slope: 0, offset: 0 }, 0.5), (20 / 255) ** 2, {
      relative: 0.12,
    });
  });

  test("fits a line exactly, in spite of an outlier", () => {
    const points = [0.1, 0.3, 0.5, 0.7, 0.9, 1].map((brightness) => ({
      brightness,
      variance: 2 * brightness + 1,
    }));
    const outlier = { brightness: 0.4, variance: 20 };
    const { curve, isSignalDependent } = curveThrough([...points, outlier]) ?? {};
    expect(isSignalDependent).toBe(true);
    expectClose(curve?.slope ?? 0, 2, { relative: 0.02 });
    expectClose(curve?.offset ?? 0, 1, { relative: 0.02 });
  });

  test("needs four groups", () => {
    const point = { brightness: 0.5, variance: 1 };
    expect(curveThrough([point, point, point])).toBeUndefined();
    const tiny = { width: 8, height: 8, pixels: new Float32Array(64) };
    expect(curveThrough(noiseByBrightness(tiny))).toBeUndefined();
  });
});
