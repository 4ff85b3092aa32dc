import { describe, expect, it } from "vitest";
import { squareAxes } from "../../src/figures/square-axes.js";

describe("squareAxes", () => {
  it.each([
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
