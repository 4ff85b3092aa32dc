import { describe, expect, it } from "vitest";
import { gaussianize } from "../../src/density/induced-density.js";
import {
  leastGaussianDirections,
  lengthsOf,
} from "../../src/evaluation/least-gaussian-directions.js";
import { excessKurtosis } from "../../src/evaluation/moments.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";

describe("the least Gaussian directions", () => {
  it("are found where components are mixtures of heavy-tailed ones", async () => {
    const { kernels } = await loadKernels();
    const count = 8000;
    const normal = createRandom(seed, "directions").normalFill(new Float64Array(3 * count));
    // Two heavy-tailed sources, turned by 45°: the mixture is half as far from normal.
    const mixed = new Float32Array(2 * count);
    for (let s = 0; s < count; s++) {
      const [a, b] = [normal[3 * s] ** 3, normal[3 * s + 1] ** 3];
      mixed.set([(a + b) * Math.SQRT1_2, (a - b) * Math.SQRT1_2], 2 * s);
    }
    const directions = await leastGaussianDirections(kernels, mixed, 2);
    const { y } = await gaussianize(new InlineRunner(kernels), directions, mixed);
    const column = (values: ArrayLike<number>, i: number) =>
      Float64Array.from({ length: count }, (_, s) => values[2 * s + i]);
    for (const i of [0, 1]) {
      expect(excessKurtosis(column(y, i))).toBeGreaterThan(1.4 * excessKurtosis(column(mixed, i)));
    }
  });

  it("lengths are those of rows", () => {
    expect([...lengthsOf(Float32Array.of(3, 4, 0, -5), 2)]).toEqual([5, 5]);
    expect(() => lengthsOf(new Float32Array(3), 2)).toThrow(/rows of 2 values/);
  });
});
