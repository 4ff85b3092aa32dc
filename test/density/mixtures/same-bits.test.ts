import { openRunner } from "gaussianize/node";
import { expect, test } from "vitest";
import { densityOf } from "../../../src/density/density-of.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectSameBits } from "../../support/expect-close.js";
import { everyMixture } from "../../support/mixtures.js";

test("every pass of a mixture gives the same bits with 1, 2 and 3 workers", async () => {
  const runners = await Promise.all([1, 2, 3].map((workers) => openRunner({ workers })));
  const random = createRandom(4, "same bits");
  for (const [name, given] of everyMixture()) {
    const x = random.normalFill(new Float32Array(333 * given.dimension));
    const all: Record<string, FloatArray>[] = [];
    for (const runner of runners) {
      const density = densityOf(given, runner);
      all.push({
        logProb: await density.logProb(x),
        score: await density.score(x),
        responsibilities: await density.responsibilities(x),
        samples: await density.sample(100, { seed: 9 }),
      });
    }
    const [first, ...others] = all;
    expect(first.logProb.every(Number.isFinite)).toBe(true);
    for (const other of others) {
      for (const [pass, values] of Object.entries(first)) {
        expectSameBits(other[pass], values, `${pass} of ${name}`);
      }
    }
  }
  await Promise.all(runners.map((runner) => runner.close()));
});
