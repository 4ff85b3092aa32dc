import { describe, expect, test } from "vitest";
import { doublingAxis, squareAxes } from "../../src/figures/axes.js";

const numbersOf = ({ xTicks, xTickFormat }: ReturnType<typeof doublingAxis>): string[] =>
  xTicks.map(xTickFormat);

describe("doublingAxis", () => {
  test("has a tick at each power of two, with numbers if there is room", () => {
    const wide = doublingAxis([1, 1024], 600);
    expect(wide.xTicks).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    expect(numbersOf(wide)).toEqual(wide.xTicks.map(String));
    const narrow = doublingAxis([1, 1024], 250);
    expect(narrow.xTicks).toEqual(wide.xTicks);
    expect(numbersOf(narrow)).toEqual(["1", "", "4", "", "16", "", "64", "", "256", "", "1024"]);
  });

  test("counts from 1 if the axis begins below it", () => {
    expect(numbersOf(doublingAxis([0.5, 9], 100))).toEqual(["", "1", "", "4", ""]);
    expect(numbersOf(doublingAxis([3, 40], 400))).toEqual(["4", "8", "16", "32"]);
  });

  test("rejects values without a logarithm", () => {
    expect(() => doublingAxis([0, 8], 100)).toThrow("x to be positive");
  });
});

describe("squareAxes", () => {
  test.each([
    [-5, 5, [-4, -2, 0, 2, 4]],
    [-10, 10, [-5, 0, 5]],
    [-3, 3, [-2, 0, 2]],
    [-1, 1, [-0.5, 0, 0.5]],
    [0.1, 0.5, [0.2, 0.3, 0.4]],
    [-7000, 9000, [-5000, 0, 5000]],
  ])("from %d to %d has ticks at %j: three or more, none near the ends", (low, high, ticks) => {
    const { xTicks, yTicks } = squareAxes([low, high]).ticks;
    expect(xTicks.map((tick) => tick + 0)).toEqual(ticks);
    expect(yTicks).toEqual(xTicks);
  });
});
