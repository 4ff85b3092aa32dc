import { describe, expect, test } from "vitest";
import {
  errorOfMean,
  jackknifeError,
  meanOf,
  standardErrorOfMeans,
  weightedMean,
} from "../../src/numbers/means.js";
import { expectClose } from "../support/expect-close.js";

const values = [2, 3, 7, 12];

describe("means", () => {
  test("are weighted or unweighted", () => {
    expect(meanOf(values)).toBe(6);
    expect(weightedMean(values, [1, 1, 1, 1])).toBe(6);
    expect(weightedMean([2, 8], [2, 1])).toBe(4);
    expect(meanOf([])).toBeNaN();
  });

  test("have the same standard error, however it is computed", () => {
    // Deviations −4, −3, 1, 6: √(62 / 3 / 4).
    const error = Math.sqrt(62 / 12);
    expectClose(errorOfMean(values), error, { relative: 1e-15 });
    expectClose(standardErrorOfMeans(values, [5, 5, 5, 5]), error, { relative: 1e-15 });
    const without = values.map((_, g) => meanOf(values.filter((__, k) => k !== g)));
    expectClose(jackknifeError(without), error, { relative: 1e-15 });
    expect(errorOfMean([1])).toBeNaN();
  });
});
