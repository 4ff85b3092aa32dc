import { describe, expect, test } from "vitest";
import { evenTicks, logTicks, padded, scaleOf } from "../../../../lab/components/charts/scale.js";

const texts = (ticks: readonly { readonly text: string }[]): string[] =>
  ticks.map(({ text }) => text);

describe("ticks", () => {
  test.each([
    [[0, 1000], 5, ["0", "200", "400", "600", "800", "1,000"]],
    [[-0.5, -0.38], 4, ["−0.50", "−0.45", "−0.40"]],
    [[0.1, 0.5], 4, ["0.1", "0.2", "0.3", "0.4", "0.5"]],
    [[0, 30_000], 3, ["0", "10,000", "20,000", "30,000"]],
  ] as const)("of %j, about %d, are %j", (domain, count, expected) => {
    expect(texts(evenTicks(domain, count))).toEqual(expected);
  });

  test.each([
    [[1, 1000], 4, ["1", "10", "100", "1,000"]],
    [[1, 20], 6, ["1", "2", "5", "10", "20"]],
    [[1e-8, 1], 4, ["10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]],
    [[30, 45], 3, ["30", "35", "40", "45"]],
  ] as const)("of %j on a logarithmic axis, about %d, are %j", (domain, count, expected) => {
    expect(texts(logTicks(domain, count))).toEqual(expected);
  });
});

describe.each(["even", "log"] as const)("the %s scale", (kind) => {
  const scale = scaleOf(kind, [2, 800]);

  test("covers its domain, and finds values again", () => {
    expect([scale.placeOf(2), scale.placeOf(800)]).toEqual([0, 1]);
    expect(scale.valueAt(scale.placeOf(37))).toBeCloseTo(37, 9);
  });
});

test("values without a logarithm have no place, and an axis of them is even", () => {
  expect(scaleOf("log", [1, 10]).placeOf(0)).toBeNaN();
  expect(scaleOf("log", [-1, 1]).placeOf(0)).toBe(0.5);
});

test("equal values get room above and below", () => {
  const [low, high] = padded([3, 3], "even");
  expect(low < 3 && 3 < high).toBe(true);
});
