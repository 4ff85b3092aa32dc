import { describe, expect, test } from "vitest";
import { withWhiteNoise } from "../../src/preprocessing/white-noise.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError } from "../support/expect-error.js";

const pixels = new Float32Array(4000).fill(0.5);

describe("withWhiteNoise", () => {
  test("adds noise of the given level", () => {
    const noisy = withWhiteNoise(pixels, 0.1, createRandom(1, "white noise"));
    const power = noisy.reduce((sum, value) => sum + (value - 0.5) * (value - 0.5), 0);
    expect(Math.sqrt(power / pixels.length)).toBeCloseTo(0.1, 2);
  });

  test.each([
    ["pixels", [{ width: 2, height: 2, pixels }, 0.1, createRandom(1)]],
    ["sigma", [pixels, -1, createRandom(1)]],
    ["sigma", [pixels, createRandom(1), 0.1]],
    ["random", [pixels, 0.1]],
    ["random", [pixels, 0.1, 7]],
  ])("rejects wrong %s in one sentence", (argument, wrong) => {
    const action = () => withWhiteNoise(...(wrong as Parameters<typeof withWhiteNoise>));
    expectError(action, { code: "invalid-argument", argument });
  });
});
