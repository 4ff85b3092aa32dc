import { expect, test } from "vitest";
import { summedArea } from "../../src/numbers/summed-area.js";

test("sums over any rectangle, also at the edges", () => {
  const [width, height] = [5, 3];
  const value = (x: number, y: number): number => 3 * x - 7 * y + x * y;
  const sumOver = summedArea(width, height, (sum, x, y) => sum + value(x, y));
  for (let top = 0; top <= height; top++) {
    for (let bottom = top; bottom <= height; bottom++) {
      for (let left = 0; left <= width; left++) {
        for (let right = left; right <= width; right++) {
          let sum = 0;
          for (let y = top; y < bottom; y++) {
            for (let x = left; x < right; x++) sum += value(x, y);
          }
          expect(sumOver({ left, right, top, bottom })).toBe(sum);
        }
      }
    }
  }
});
