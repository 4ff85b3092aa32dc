import { expect, test } from "vitest";
import { type PageScope, launchBeforeTests, openPage } from "./in-chromium.js";
import { differences, resultsInNode, seed } from "./results-in-node.js";

launchBeforeTests();

// Firefox and WebKitGTK are compared in test/engines, with the same page.
test(`Chromium computes all results with the bits of Node, with 0 and 2 Web Workers (seed ${seed})`, async (context) => {
  const { page, complaints } = await openPage(context);
  const wanted = await resultsInNode();
  for (const workers of [0, 2]) {
    const found = await page.evaluate(
      (given) => (globalThis as PageScope).page.results(given.workers, given.seed),
      { workers, seed },
    );
    expect(differences(found, wanted), `${workers} workers`).toEqual([]);
  }
  expect(complaints).toEqual([]);
});
