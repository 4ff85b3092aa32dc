import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeImage } from "gaussianize/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SiteServer, bundlePage, serveSite } from "../support/bundled-page.js";
import type { Decoded } from "../browser/page/decoding.js";
import type { Digests } from "../browser/page/digest.js";
import { differences, resultsInNode, seed } from "../browser/results-in-node.js";
import { pngBytes } from "../support/picture-bytes.js";
import { temporaryFolder } from "../support/folders.js";
import { waitFor } from "./drivers/engine.js";
import { engineNames, launchBeforeTests } from "./drivers/engines.js";

let wanted: Digests = {};
let server: SiteServer | undefined;

beforeAll(async () => {
  wanted = await resultsInNode();
  server = await serveSite(await bundlePage(new URL("../browser/page/", import.meta.url)));
});

afterAll(() => server?.close());

/** All combinations of four levels of red, green and blue. */
const samples = Uint8Array.from(
  { length: 3 * 64 },
  (_, k) => (85 * ((k / 3) >> (2 * (k % 3)))) % 256,
);
const picture = {
  bytes: pngBytes({ width: 8, height: 8, depth: 8, channels: 3, samples }),
  name: "picture.png",
  luminance: "linear",
} as const;

async function decodedInNode(): Promise<Decoded> {
  const path = join(await temporaryFolder("engines"), picture.name);
  await writeFile(path, picture.bytes);
  const { pixels, ...rest } = await decodeImage(path, picture.luminance);
  return { ...rest, source: picture.name, pixels: [...pixels] };
}

describe.each(engineNames)("%s", (name) => {
  const openPage = launchBeforeTests(name);

  test(`computes all results with the bits of Node, with 2 Web Workers (seed ${seed})`, async (context) => {
    const page = await openPage(context, server?.address ?? "");
    await waitFor(page, `"page" in globalThis`);
    const found = await page.evaluate<Digests>(
      `return globalThis.page.results(2, ${JSON.stringify(seed)});`,
    );
    expect(differences(found, wanted)).toEqual([]);
    expect(Object.keys(found).length).toBeGreaterThan(300);
    const decoded = await page.evaluate<Exclude<Decoded, string>>(
      `return globalThis.page.decode(${JSON.stringify({ ...picture, bytes: [...picture.bytes] })});`,
    );
    expect(decoded).toEqual(await decodedInNode());
    expect(await page.complaints()).toEqual([]);
  });
});
