import { describe, expect, test } from "vitest";
import {
  type ThreeChannels,
  decorrelateColours,
  noiseLevels,
  recorrelateColours,
} from "../../src/images/colour-decorrelation.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";

function noise(count: number, sigmas: readonly number[] = [1, 1, 1]): ThreeChannels {
  const random = createRandom(3, "colours");
  const channel = (sigma: number): Float32Array =>
    random.normalFill(new Float32Array(count)).map((value) => sigma * value);
  return [channel(sigmas[0]), channel(sigmas[1]), channel(sigmas[2])];
}

/** Columns of the transform: its results for red, green and blue alone. */
const columns = [0, 1, 2].map((j) => {
  const unit = [0, 1, 2].map((i) => Float32Array.of(i === j ? 1 : 0));
  return decorrelateColours([unit[0], unit[1], unit[2]]).map(([value]) => value);
});

describe("the transform", () => {
  test("has orthonormal rows, the first divided by √3", () => {
    const row = (i: number): number[] =>
      columns.map((column) => column[i] * (i ? 1 : Math.sqrt(3)));
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const product = row(i).reduce((sum, value, k) => sum + value * row(j)[k], 0);
        // Entries are rounded to Float32: 6e-8 each, three of them.
        expectClose(product, i === j ? 1 : 0, { absolute: 2e-7 });
      }
    }
  });

  test("has the mean first, then red against blue, then green against magenta", () => {
    const pixels: ThreeChannels = [
      Float32Array.of(0.9, 0.5),
      Float32Array.of(0.3, 0.5),
      Float32Array.of(0.6, 0.5),
    ];
    const [brightness, redBlue, greenMagenta] = decorrelateColours(pixels);
    expectClose(brightness, [0.6, 0.5], { absolute: 1e-7 });
    expectClose(redBlue, [0.3 / Math.SQRT2, 0], { absolute: 1e-7 });
    expectClose(greenMagenta, [0.9 / Math.sqrt(6), 0], { absolute: 1e-7 });
  });

  test("is inverted to 1e-6", () => {
    const channels = noise(1000);
    const back = recorrelateColours(decorrelateColours(channels));
    back.forEach((channel, j) => {
      expectClose(channel, channels[j], { absolute: 1e-6 });
    });
  });

  test("does not change its input, and rejects channels of different lengths", () => {
    const channels = noise(10);
    const before = channels.map((channel) => channel.slice());
    decorrelateColours(channels);
    expect(channels).toEqual(before);
    const lengths = [3, 3, 2].map((length) => new Float32Array(length));
    const wanted = { code: "invalid-argument", argument: "channels" } as const;
    expectError(() => decorrelateColours(lengths), wanted);
  });
});

describe("noise levels", () => {
  test("match random noise to 1 %", () => {
    const sigmas = [0.1, 0.05, 0.2] as const;
    const levels = noiseLevels(sigmas);
    decorrelateColours(noise(100_000, sigmas)).forEach((channel, i) => {
      const variance = channel.reduce((sum, value) => sum + value * value, 0) / channel.length;
      // The standard error of a deviation from n values is 1/√(2n), here 0.2 %.
      expectClose(Math.sqrt(variance) / levels[i], 1, { absolute: 0.01 });
    });
  });

  test("of equal noise are equal, except for brightness, which has 1/√3", () => {
    expectClose(noiseLevels([0.3, 0.3, 0.3]), [0.3 / Math.sqrt(3), 0.3, 0.3], { absolute: 1e-15 });
  });

  test("reject negative and infinite values", () => {
    const wanted = { code: "invalid-argument" } as const;
    expectError(() => noiseLevels([1, -1, 1]), { ...wanted, argument: "sigmas[1]" });
    expectError(() => noiseLevels([1, 1, NaN]), { ...wanted, argument: "sigmas[2]" });
  });
});
