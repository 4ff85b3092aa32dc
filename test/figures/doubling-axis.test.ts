import { describe, expect, it } from "vitest";
import { doublingAxis } from "../../src/figures/doubling-axis.js";

const numbersOf = ({ xTicks, xTickFormat }: ReturnType<typeof doublingAxis>): string[] =>
  xTicks.map(xTickFormat);

describe("doublingAxis", () => {
  it("has a tick at each power of two, with a number where there is room", () => {
    const wide = doublingAxis([1, 1024], 600);
    expect(wide.xTicks).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    expect(numbersOf(wide)).toEqual(wide.xTicks.map(String));
    const narrow = doublingAxis([1, 1024], 250);
    expect(narrow.xTicks).toEqual(wide.xTicks);
    expect(numbersOf(narrow)).toEqual(["1", "", "4", "", "16", "", "64", "", "256", "", "1024"]);
  });

  it("counts from 1 where the axis begins below it", () => {
    expect(numbersOf(doublingAxis([0.5, 9], 100))).toEqual(["", "1", "", "4", ""]);
    expect(numbersOf(doublingAxis([3, 40], 400))).toEqual(["4", "8", "16", "32"]);
  });

  it("refuses what has no logarithm", () => {
    expect(() => doublingAxis([0, 8], 100)).toThrow("x to be positive");
  });
});
