import { describe, expect, test } from "vitest";
import { createRandom } from "../../../src/random/random-stream.js";
import {
  type FrequencySample,
  frequenciesOf,
  halfGrid,
} from "../../../src/transforms/convolutions/frequencies.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { seed } from "../../support/seed.js";

const grid = { width: 10, height: 7 };

describe(`a sample of the frequencies (seed ${seed})`, () => {
  test.each([
    { grid, sample: { width: 3, height: 2 } },
    { grid: { width: 9, height: 6 }, sample: { width: 4, height: 4 } },
    { grid: { width: 8, height: 8 }, sample: { width: 8, height: 4 } },
    { grid: { width: 1, height: 5 }, sample: { width: 4, height: 2 } },
  ])("has the weights of the half grid, in the mean over all offsets: %o", (sizes) => {
    const { width, height } = sizes.grid;
    const sums = new Map(halfGrid(sizes.grid).map(({ u, v }) => [`${u},${v}`, 0]));
    for (let across = 0; across < width; across++) {
      for (let down = 0; down < height; down++) {
        const offsets = [across, down].values();
        const random = createRandom(seed, "offsets");
        random.integer = () => offsets.next().value ?? NaN;
        for (const { u, v, weight } of frequenciesOf(sizes.grid, { ...sizes.sample, random })) {
          sums.set(`${u},${v}`, (sums.get(`${u},${v}`) ?? NaN) + weight);
        }
      }
    }
    for (const { u, v, weight } of halfGrid(sizes.grid)) {
      const mean = (sums.get(`${u},${v}`) ?? NaN) / (width * height);
      expectClose(mean, weight, { absolute: 1e-12 }, `frequency ${u}, ${v}`);
    }
  });

  test("has equal distances, and sums that vanish for taps nearer than its width", () => {
    const square = { width: 8, height: 8 };
    for (let draw = 0; draw < 20; draw++) {
      const random = createRandom(seed, "distances", draw);
      const found = frequenciesOf(square, { width: 4, height: 4, random });
      expect(found.length).toBeLessThanOrEqual(16);
      for (const tap of [0, 1, 2, 3]) {
        const sum = found.reduce(
          (total, { u, weight }) => total + weight * Math.cos((Math.PI * u * tap) / 4),
          0,
        );
        expectClose(sum, tap === 0 ? 64 : 0, { absolute: 1e-12 }, `tap ${tap}`);
      }
    }
  });

  test("is the half grid if it is as large as the grid", () => {
    const random = createRandom(seed, "all");
    expect(frequenciesOf(grid, { width: 100, height: 7, random })).toEqual(halfGrid(grid));
  });

  test("rejects a size that is not a positive integer", () => {
    const random = createRandom(seed, "refused");
    expectError(() => frequenciesOf(grid, { width: 4, height: 0, random }), {
      code: "invalid-argument",
      argument: "the height of the frequencies",
    });
    const incomplete = { width: 4, random } as FrequencySample;
    expectError(() => frequenciesOf(grid, incomplete), {
      code: "invalid-argument",
      argument: "the height of the frequencies",
    });
  });
});
