import { expect, test } from "vitest";
import { edge, height } from "../../src/random/ziggurat.js";

test("the 256 layers have equal areas to 1e-12, and the topmost ends at height 1", () => {
  // The bottom strip without its tail is edge_0 × height_1 by construction.
  const area = edge[0] * height[1];
  for (let i = 1; i < 256; i += 1) {
    const layerArea = edge[i] * (height[i + 1] - height[i]);
    expect(Math.abs(layerArea / area - 1)).toBeLessThan(1e-12);
  }
  expect(height[256]).toBe(1);
  expect(edge[256]).toBe(0);
});

test("the bottom strip consists of its rectangle and the normal tail", () => {
  // Tail of exp(−x²/2) by its continued fraction: f(r) / (r + 1/(r + 2/(r + 3/(r + …)))).
  const r = edge[1];
  let fraction = r;
  for (let n = 200; n >= 1; n -= 1) fraction = r + n / fraction;
  const strip = r * height[1] + height[1] / fraction;
  expect(Math.abs(strip / (edge[0] * height[1]) - 1)).toBeLessThan(1e-12);
});
