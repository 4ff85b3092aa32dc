import { openRunner } from "gaussianize/node";
import { describe, expect, test } from "vitest";
import { seed as testSeed } from "../support/seed.js";
import { type PageScope, launchBeforeTests, limitInMilliseconds, openPage } from "./in-chromium.js";
import { pairBits } from "./page/pairs.js";
import { expectSameBits } from "./same-bits.js";

const seed = String(testSeed);

launchBeforeTests();

describe(`pairs of coefficients in Chromium (seed ${seed})`, () => {
  test.for([0, 2])(
    "bands, fits and mutual information have Node's bits, with %i Web Workers",
    { timeout: limitInMilliseconds },
    async (workers, context) => {
      const { page, complaints } = await openPage(context);
      const inBrowser = await page.evaluate(
        (given) => (globalThis as PageScope).page.pairs(given.workers, given.seed),
        { workers, seed },
      );
      const runner = await openRunner({ workers: 0 });
      expectSameBits(inBrowser, await pairBits(runner, seed));
      // The spectrum, six bands, the pairs; rotation, radial map and fit; mutual information.
      expect(Object.keys(inBrowser)).toHaveLength(2 + 6 + 1 + 3 + 4 + 7 + 3);
      expect(Object.values(inBrowser).every((bits) => bits.length >= 16)).toBe(true);
      expect(complaints).toEqual([]);
    },
  );

  test("100,000 of them are fitted there", { timeout: 120_000 }, async (context) => {
    const { page, complaints } = await openPage(context);
    const seconds = await page.evaluate(
      (given) => (globalThis as PageScope).page.fitSeconds(100_000, given),
      seed,
    );
    expect(seconds).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });
});
