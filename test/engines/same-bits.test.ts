import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SiteServer, bundlePage, serveSite } from "../support/bundled-page.js";
import type { Digests } from "../browser/page/digest.js";
import { differences, resultsInNode, seed } from "../browser/results-in-node.js";
import { waitFor } from "./drivers/engine.js";
import { engineNames, launchBeforeTests } from "./drivers/engines.js";

let wanted: Digests = {};
let server: SiteServer | undefined;

beforeAll(async () => {
  wanted = await resultsInNode();
  server = await serveSite(await bundlePage(new URL("../browser/page/", import.meta.url)));
});

afterAll(() => server?.close());

describe.each(engineNames)("%s", (name) => {
  const openPage = launchBeforeTests(name);

  test.for([0, 2])(
    `has Node's bits in every kind of result, with %i Web Workers (seed ${seed})`,
    async (workers, context) => {
      const page = await openPage(context, server?.address ?? "");
      await waitFor(page, `"page" in globalThis`);
      const found = await page.evaluate<Digests>(
        `return globalThis.page.results(${workers}, ${JSON.stringify(seed)});`,
      );
      expect(differences(found, wanted)).toEqual([]);
      expect(Object.keys(found).length).toBeGreaterThan(300);
      expect(page.complaints()).toEqual([]);
    },
  );
});
