/** The start page in Chromium: its size, its figures, and phones. */
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  expectAccessible,
  labAddress,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
  screenshot,
} from "../in-lab.js";

launchBeforeTests();

/** Sum of the sizes of files, each compressed by gzip, in bytes. */
async function gzipSizes(addresses: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const address of addresses) {
    if (!address.startsWith("http")) continue;
    const response = await fetch(address, { headers: { "accept-encoding": "identity" } });
    bytes += gzipSync(await response.arrayBuffer()).length;
  }
  return bytes;
}

/** Shows one figure after the other, until the last one is complete. */
async function readToTheEnd(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Remove noise" }).waitFor();
  for (const section of await page.locator(".story-section").all()) {
    await section.scrollIntoViewIfNeeded();
  }
  await page.getByText("Fitted in").waitFor();
  await page.getByRole("img", { name: "Samples of the density" }).waitFor();
  await page.getByText("The patch in the frame has").waitFor();
  await page.getByText("Right: without").waitFor();
}

describe("the start page", { timeout: 3 * limitInMilliseconds }, () => {
  test("is the page without an address, and loads less than 200 kB", async (context) => {
    const { page, complaints } = await openLab(context, "#runs");
    const asked = new Set<string>();
    page.context().on("request", (request) => asked.add(request.url()));
    await page.goto(labAddress());
    await page.reload();
    await page.getByText("places; the second response").waitFor();
    await page.getByText(/with \d+ workers?;/).waitFor();
    expect(asked.size).toBeGreaterThan(10);
    const first = await gzipSizes(asked);
    await readToTheEnd(page);
    const all = await gzipSizes(asked);
    await context.annotate(`${first} bytes at first, ${all} bytes with all figures`);
    expect(first).toBeLessThan(200_000);
    expect(all).toBeLessThan(250_000);
    expect(complaints).toEqual([]);
  });

  test.for([
    { colorScheme: "light", viewport: { width: 1280, height: 800 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } },
  ] as const)("is complete and accessible, %j", async (options, context) => {
    const { page, complaints } = await openLab(context, "", options);
    await readToTheEnd(page);
    await expectAccessible(page);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    expect(await page.locator("math:not([aria-label])").count()).toBe(0);
    await screenshot(page, `start-${options.colorScheme}`);
    expect(complaints).toEqual([]);
  });

  test("moves its figures by keys and by the mouse, and links to the panels", async (context) => {
    const { page } = await openLab(context, "", { reducedMotion: "reduce" });
    await readToTheEnd(page);
    const words = page.getByText("places; the second response");
    const band = page.getByRole("slider", { name: "First response in the band" });
    const before = await words.textContent();
    await band.press("ArrowLeft");
    expect(await words.textContent()).not.toBe(before);
    const point = page.getByRole("application", { name: /^Plane of the responses/ });
    await point.click({ position: { x: 20, y: 20 } });
    const density = page.getByText("goes to y = ");
    await expect.poll(() => density.textContent()).toMatch(/x = \(−3\.\d+, 3\.\d+\)/);
    // Without motion, Play switches between both ends.
    const slider = page.getByRole("slider", { name: "From the responses to the divided ones" });
    await page.getByRole("button", { name: "Play again" }).click();
    expect(await slider.inputValue()).toBe("0");
    await page.getByRole("link", { name: "Denoise your own picture" }).click();
    await page.getByRole("heading", { level: 1, name: "Denoise" }).waitFor();
  });
});
