import { describe, expect, test } from "vitest";
import { seed as testSeed } from "../support/seed.js";
import { type PageScope, launchBeforeTests, limitInMilliseconds, openPage } from "./in-chromium.js";

const seed = String(testSeed);

launchBeforeTests();

describe("openRunner in Chromium", { timeout: limitInMilliseconds }, () => {
  test("opens one worker per core with SIMD kernels by default", async (context) => {
    const { page, complaints } = await openPage(context);
    const cores = await page.evaluate(() => navigator.hardwareConcurrency);
    expect(await page.evaluate(() => (globalThis as PageScope).page.defaultSize())).toBe(cores);
    expect(await page.evaluate(() => (globalThis as PageScope).page.kernelReason())).toBe(
      "Plain SIMD runs, by default.",
    );
    expect(complaints).toEqual([]);
  });

  test.for([-1, 1.5, 5000])("rejects %d workers", async (workers, context) => {
    const { page, complaints } = await openPage(context);
    const sentence = await page.evaluate(
      (given) => (globalThis as PageScope).page.openingError(given),
      workers,
    );
    expect(sentence).toBe(
      `GaussianizeError: Expected workers to be an integer from 0 to 1024 but received ${workers}.`,
    );
    expect(complaints).toEqual([]);
  });

  test("reports that a worker's script could not be loaded", async (context) => {
    const { page, complaints } = await openPage(context, "broken/");
    const sentence = await page.evaluate(() => (globalThis as PageScope).page.openingError(2));
    expect(sentence).toMatch(
      /^GaussianizeError: Worker [12] crashed: its script could not be loaded\.$/,
    );
    // The browser reports the 404, and nothing else.
    expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
    expect(await page.evaluate(() => (globalThis as PageScope).page.openingError(0))).toBe(
      "no error",
    );
  });

  test("close() rejects a run", async (context) => {
    const { page, complaints } = await openPage(context);
    const sentence = await page.evaluate(
      (given) => (globalThis as PageScope).page.closingError(given),
      seed,
    );
    expect(sentence).toBe("GaussianizeError: The worker pool was closed.");
    expect(complaints).toEqual([]);
  });
});
