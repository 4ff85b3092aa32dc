/** dist/gaussianize.min.js, the core in one file, and the page of docs/library.md with it. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type TestContext, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { decodeModel } from "../../src/density/model-files/model-file.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { serveSite } from "../support/bundled-page.js";
import { connectChromium } from "../support/shared-chromium.js";

const path = "dist/gaussianize.min.js";
const text = readFileSync(path, "utf8");
const modelFile = readFileSync("models/kodak16-gdn.safetensors");
const guide = readFileSync("docs/library.md", "utf8");

test("it imports nothing, and exports what the module gaussianize exports", async () => {
  expect(text).not.toMatch(/\bimport\s*(\(|["'{*])|\bfrom\s*["']/);
  const [found, wanted] = await Promise.all(
    [path, "dist/src/index.js"].map((file) => import(resolve(file)) as Promise<object>),
  );
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
});

test("docs/library.md gives its size to 3 %", () => {
  const sizes =
    /one file of\s+(\d+) kB \((\d+) kB with gzip\)/.exec(guide)?.slice(1).map(Number) ?? [];
  const found = [text.length, gzipSync(text).length].map((bytes) => bytes / 1000);
  expect(sizes).toHaveLength(2);
  found.forEach((kilobytes, k) => {
    expect(Math.abs(sizes[k] / kilobytes - 1), `${kilobytes} kB`).toBeLessThan(0.03);
  });
});

test("the page of docs/library.md computes log p(x) with the bits of Node", async (context: TestContext) => {
  const browser = await connectChromium();
  if (typeof browser === "string") context.skip(browser);
  context.onTestFinished(() => browser.close());
  const [, script] = /```html\n(.*?)```/s.exec(guide) ?? [];
  const site = await serveSite(
    new Map<string, string | Uint8Array>([
      ["index.html", `<!doctype html><title>Test</title><body>${script}</body>`],
      ["gaussianize.min.js", text],
      ["kodak16-gdn.safetensors", modelFile],
    ]),
  );
  context.onTestFinished(() => site.close());
  const page = await browser.newPage();
  await page.goto(site.address);
  const shown = page.getByText("log p(x):");
  await shown.waitFor();

  const density = densityOf(
    decodeModel(modelFile),
    new InlineRunner((await loadKernels()).kernels),
  );
  const x = await density.sample(5, { seed: 7 });
  // Numbers print with all digits that tell them apart.
  expect(await shown.innerText()).toBe(`log p(x): ${(await density.logProb(x)).join(", ")}`);
});
