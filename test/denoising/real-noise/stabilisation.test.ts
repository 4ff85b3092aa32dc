import { describe, expect, test } from "vitest";
import { stabilisationOf } from "../../../src/denoising/real-noise/stabilisation.js";
import { meanOf } from "../../../src/numbers/means.js";
import { expectClose } from "../../support/expect-close.js";
import { withPhotonNoise } from "../../support/noises.js";
import { seed } from "../../support/seed.js";

const side = 200;
const flat = (x: number) => ({
  width: side,
  height: side,
  pixels: new Float32Array(side * side).fill(x),
});
const varianceOf = (values: Float32Array): number => {
  const mean = meanOf(values);
  return meanOf(values.map((value) => (value - mean) ** 2));
};
const onto = (value: number): Float32Array => Float32Array.of(value);

describe(`stabilisationOf (seed ${seed})`, () => {
  // 40,000 pixels: the mean of the noise has an error of σ/200, its variance one of 0.7 %.
  const cases = [
    [0.01, 0, 0.02],
    [0.01, 0, 0.5],
    [0.03, 0.001, 0.1],
    [0.1, 0.0004, 0.05],
    [0.1, 0.0004, 0.9],
    [0.002, 0.0005, 0.5],
    [0.0005, 0.0001, 0.8],
  ] as const;

  test.each(cases)("is unbiased for a = %d, b = %d at x = %d", (slope, offset, x) => {
    const { forward, inverse } = stabilisationOf({ slope, offset });
    const noisy = forward(withPhotonNoise(flat(x), slope, offset, x).pixels);
    const [estimate] = inverse(onto(meanOf(noisy)));
    const error = Math.sqrt(slope * x + offset) / side;
    expect(Math.abs(estimate - x)).toBeLessThan(4 * error + 1e-4 * x);
  });

  test("keeps a bias that f⁻¹ would have out", () => {
    // 0.5 photons: f⁻¹ of the mean of f is far from them.
    const [slope, x] = [0.1, 0.05];
    const { forward, inverse } = stabilisationOf({ slope, offset: 0 });
    const mean = meanOf(forward(withPhotonNoise(flat(x), slope, 0).pixels));
    const naive = inverse(forward(onto(x)));
    expectClose(inverse(onto(mean))[0], x, { absolute: 0.005 });
    expect(naive[0]).toBeGreaterThan(x + 0.01);
  });

  test.each(cases.filter(([slope, , x]) => x / slope > 3))(
    "gives noise of a = %d, b = %d at x = %d the level sigma",
    (slope, offset, x) => {
      const { forward, sigma } = stabilisationOf({ slope, offset });
      const noisy = forward(withPhotonNoise(flat(x), slope, offset, x).pixels);
      expectClose(Math.sqrt(varianceOf(noisy)), sigma, { relative: 0.06 });
    },
  );

  test("keeps black and white, and continues beyond its table", () => {
    const { forward } = stabilisationOf({ slope: 0.001, offset: 0.0001 });
    expect([...forward(Float32Array.of(0, 1))]).toEqual([0, 1]);
    const { forward: there, inverse: back } = stabilisationOf({ slope: 0.001, offset: 0 });
    // 400 photons are x = 0.4; the mean of f is below f, by 1/(4√λ).
    for (const x of [0.3999, 0.4001, 0.9]) {
      const range = 2 * Math.sqrt(1000.375) - 2 * Math.sqrt(0.375);
      const mean = there(onto(x))[0] - 1 / (4 * Math.sqrt(x / 0.001)) / range;
      expectClose(back(onto(mean))[0], x, { relative: 1e-4 });
    }
  });

  test("treats noise that grows towards black as that of the negative", () => {
    const { forward, inverse, sigma } = stabilisationOf({ slope: -0.01, offset: 0.0101 });
    const other = stabilisationOf({ slope: 0.01, offset: 0.0001 });
    expectClose(sigma, other.sigma, { relative: 1e-6 });
    const [low, high] = forward(Float32Array.of(0.2, 0.7));
    expect(low).toBeLessThan(high);
    expectClose(low, 1 - other.forward(onto(0.8))[0], { absolute: 1e-6 });
    expectClose(inverse(onto(low))[0], 1 - other.inverse(onto(1 - low))[0], { absolute: 1e-6 });
  });

  test("takes a negative offset as a pedestal", () => {
    const { forward, inverse } = stabilisationOf({ slope: 0.01, offset: -0.001 });
    // Variance 0 at 0.1: 40 photons at 0.5.
    const photons = withPhotonNoise(flat(0.4), 0.01, 0).pixels.map((value) => value + 0.1);
    expectClose(inverse(onto(meanOf(forward(photons))))[0], 0.5, { absolute: 0.0015 });
  });
});
