import { describe, expect, test } from "vitest";
import { pairedDifference } from "../../src/evaluation/paired-difference.js";
import { refusal } from "../support/expect-error.js";

describe("pairedDifference", () => {
  test("weighs the mean of each image by its share of the samples", () => {
    // Image 7 has the differences 1 and 3, image 2 has 5.
    const found = pairedDifference({ first: [10, 20, 30], second: [11, 23, 35], image: [7, 7, 2] });
    expect(found).toMatchObject({ mean: 3, standardErrorOver: "images", samples: 3 });
    // √(2/1 ((2/3 (2 − 3))² + (1/3 (5 − 3))²))
    expect(found.standardError).toBeCloseTo(Math.sqrt(2 * (4 / 9 + 4 / 9)), 12);
  });

  test("has an error over patches for one image, and none for one patch", () => {
    const found = pairedDifference({ first: [0, 0, 0], second: [1, 2, 6], image: [4, 4, 4] });
    expect(found).toMatchObject({ mean: 3, standardErrorOver: "patches" });
    // The standard deviation √7 by √3.
    expect(found.standardError).toBeCloseTo(Math.sqrt(7 / 3), 12);
    const one = pairedDifference({ first: [1], second: [3], image: [0] });
    expect(one).toMatchObject({ mean: 2, standardError: NaN, samples: 1 });
  });

  test("applies weights within images and over them", () => {
    const found = pairedDifference({
      first: [0, 0, 0],
      second: [1, 4, 7],
      image: [0, 0, 1],
      weights: [2, 1, 3],
    });
    // (2·1 + 4)/3 = 2 of weight 3, and 7 of weight 3.
    expect(found.mean).toBe(4.5);
    expect(found.standardError).toBeCloseTo(2.5, 12);
  });

  test("skips samples without a density under one of the models", () => {
    const found = pairedDifference({ first: [0, NaN, 2], second: [1, 5, NaN], image: [0, 0, 1] });
    expect(found).toMatchObject({ mean: 1, samples: 1 });
    expect(pairedDifference({ first: [], second: [], image: [] })).toMatchObject({ mean: NaN });
  });

  test("rejects arrays of different lengths", () => {
    expect(() => pairedDifference({ first: [1, 2], second: [1], image: [0, 0] })).toThrow(
      refusal("second", "hold 2 values, as first does", 1),
    );
  });
});
