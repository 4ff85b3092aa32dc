import { describe, expect, test } from "vitest";
import {
  exampleCloud,
  fewestDrawn,
  mostDrawn,
  sprayed,
} from "../../../lab/panels/pairs/drawn-cloud.js";

describe("a drawn cloud", () => {
  test("grows around the place of each touch, in the same way each time", () => {
    const cloud = sprayed([], [1, -2]);
    expect(cloud.length).toBeGreaterThanOrEqual(8);
    expect(sprayed([], [1, -2])).toEqual(cloud);
    cloud.forEach((value, k) => {
      expect(Math.abs(value - [1, -2][k % 2])).toBeLessThan(1);
    });
    expect(sprayed(cloud, [1, -2]).slice(0, cloud.length)).toEqual(cloud);
  });

  test("stays inside the plot, and does not grow without end", () => {
    expect(Math.max(...sprayed([], [4, 4]))).toBeLessThanOrEqual(4);
    const full = new Array<number>(2 * mostDrawn).fill(0);
    expect(sprayed(full, [1, 1])).toHaveLength(2 * mostDrawn);
  });

  test("can be fitted if it is the example", () => {
    expect(exampleCloud().length / 2).toBeGreaterThan(fewestDrawn);
  });
});
