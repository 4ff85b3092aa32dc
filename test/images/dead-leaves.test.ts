import { describe, expect, test } from "vitest";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError } from "../support/expect-error.js";

const scene = (seed: number, options = {}) =>
  deadLeaves(createRandom(seed, "scene"), { width: 96, height: 64, ...options });

describe("deadLeaves", () => {
  test("covers every pixel with a grey from 0 to 1", () => {
    const { width, height, pixels } = scene(1);
    expect([width, height, pixels.length]).toEqual([96, 64, 96 * 64]);
    expect(pixels.every((value) => value >= 0 && value < 1)).toBe(true);
  });

  test("is the same only for the same seed", () => {
    expect(scene(1).pixels).toEqual(scene(1).pixels);
    expect(scene(2).pixels).not.toEqual(scene(1).pixels);
  });

  test("has mean ½ and variance 1/12 over many scenes, as uniform greys have", () => {
    // Large leaves make neighbours similar, so there are far fewer independent greys than pixels.
    let [sum, squares, count] = [0, 0, 0];
    for (let seed = 0; seed < 60; seed++) {
      for (const value of scene(seed, { largestRadius: 8, smallestRadius: 4 }).pixels) {
        sum += value;
        squares += value * value;
        count++;
      }
    }
    const mean = sum / count;
    expect(mean).toBeCloseTo(0.5, 1);
    // A little less than 1/12: pixels on an edge are means of two greys.
    expect(squares / count - mean * mean).toBeGreaterThan(0.065);
    expect(squares / count - mean * mean).toBeLessThan(0.085);
  });

  test("has flat leaves and sharp edges: differences of neighbours are far from normal", () => {
    const { width, pixels } = scene(3, { smallestRadius: 4 });
    const differences = Array.from(pixels.subarray(1), (value, k) =>
      (k + 1) % width === 0 ? 0 : value - pixels[k],
    );
    const moment = (power: number): number =>
      differences.reduce((sum, value) => sum + value ** power, 0) / differences.length;
    expect(moment(4) / moment(2) ** 2).toBeGreaterThan(10);
  });

  test.each([
    [{ width: 0 }, "width", "positive"],
    [{ height: 1.5 }, "height", "1.5"],
    [{ smallestRadius: 0 }, "smallestRadius", "0.5"],
    [{ largestRadius: 1 }, "largestRadius", "1.5"],
  ])("rejects %o", (options, argument, phrase) => {
    expectError(() => scene(1, options), { code: "invalid-argument", argument, phrase });
  });
});
