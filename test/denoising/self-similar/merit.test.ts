import { expect, test } from "vitest";
import { mixedByMerit, weightOf } from "../../../src/denoising/self-similar/merit.js";
import { expectClose } from "../../support/expect-close.js";

test("weights fall where structure was removed, and are constant beyond the knots", () => {
  expect(weightOf(0)).toBe(weightOf(0.43));
  expect(weightOf(1.1)).toBeLessThan(weightOf(0.9));
  expect(weightOf(9)).toBe(0.41);
});

test("weights are linear between knots", () => {
  expectClose([weightOf((0.94 + 1.02) / 2)], [(0.78 + 0.75) / 2], { relative: 1e-12 });
});

test("estimates are mixed pixel by pixel", () => {
  const mixed = mixedByMerit([1, 2], Float32Array.of(2, 4), Float32Array.of(0.43, 5));
  expectClose(mixed, [1.84, 2.82], { relative: 1e-6 });
});
