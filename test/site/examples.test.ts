/** What the site does: live examples, search, themes and navigation, in a deep folder. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { addressOf, launchBeforeTests, openContext, openPage, violationsOf } from "./in-site.js";

launchBeforeTests();

/** Scrolls to an example, which loads it. */
async function example(page: Page, name: string): Promise<Locator> {
  const found = page.locator(`live-example[name=${name}]`);
  await found.evaluate((element) => {
    element.scrollIntoView({ block: "center" });
  });
  await found.locator(".live").waitFor();
  return found;
}

test("the front page loads no example before it is near", async (context) => {
  const { page, complaints } = await openPage(
    await openContext(context, { viewport: { width: 390, height: 300 } }),
    "",
  );
  const sizes = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => name),
  );
  expect(sizes.filter((name) => name.includes("/lab/"))).toEqual([]);
  expect(complaints).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`all examples run and are accessible in ${colorScheme} mode`, async (context) => {
    const { page, complaints } = await openPage(await openContext(context, { colorScheme }), "");

    const pairs = await example(page, "pairs");
    await pairs.getByRole("button", { name: "Fit a GDN" }).click();
    await pairs.getByText("after the fit:").waitFor();
    expect(await pairs.locator("path.model").getAttribute("d")).not.toBe("");
    // Wavelet coefficients depend on each other; their images under the GDN hardly do.
    const [before, after] = [...(await pairs.locator(".words").innerText()).matchAll(/−?\d\.\d+/g)];
    expect(Number(before[0])).toBeGreaterThan(0.3);
    expect(Math.abs(Number(after[0].replace("−", "-")))).toBeLessThan(0.05);

    const samples = await example(page, "samples");
    const patch = samples.getByRole("img", { name: "The patch at the point" });
    await patch.waitFor();
    const pixels = (): Promise<string> =>
      patch.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const first = await pixels();
    const plane = samples.getByRole("application", { name: "Plane through both samples" });
    await plane.click({ position: { x: 20, y: 20 } });
    await expect.poll(pixels, { timeout: 60_000 }).not.toBe(first);
    const clicked = await pixels();
    await plane.press("Shift+ArrowRight");
    await expect.poll(pixels, { timeout: 60_000 }).not.toBe(clicked);

    const denoise = await example(page, "denoise");
    await denoise.getByRole("button", { name: "Denoise", exact: true }).click();
    await denoise.getByText("Denoised:").waitFor();
    await denoise.getByRole("slider", { name: /noisy on the left, denoised/ }).press("Home");
    const [noisy, clean] = [...(await denoise.locator(".words").innerText()).matchAll(/\d+\.\d+/g)];
    expect(Number(clean[0])).toBeGreaterThan(Number(noisy[0]) + 7);

    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
}

test("search finds a section, and Enter opens it", async (context) => {
  const { page, complaints } = await openPage(await openContext(context), "docs/lab.html");
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator("#localsearch-input").fill("low-rank determinant");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(addressOf("docs/how-it-works.html#**"));
  expect(complaints).toEqual([]);
});

test("pages follow each other without a reload, in both directions", async (context) => {
  const { page, complaints } = await openPage(await openContext(context), "");
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
  await page.getByRole("link", { name: "How it works" }).click();
  await page.waitForURL(addressOf("docs/how-it-works.html"));
  await page.getByRole("link", { name: "API", exact: true }).click();
  await page.waitForURL(addressOf("api/"));
  await page.goBack();
  await page.getByRole("heading", { name: "How it works", level: 1 }).waitFor();
  expect(await page.evaluate(() => "isSame" in globalThis)).toBe(true);
  expect(complaints).toEqual([]);
});

test("figures and examples follow the switch of the theme", async (context) => {
  const { page, complaints } = await openPage(await openContext(context), "docs/results.html");
  const figure = page.locator("main img[src$='.svg']").first();
  await figure.scrollIntoViewIfNeeded();
  const light = await figure.screenshot();
  await page.locator("button.VPSwitchAppearance").first().click();
  await page.locator("html.dark").waitFor();
  await expect.poll(async () => (await figure.screenshot()).equals(light)).toBe(false);
  await page.goto(addressOf(""));
  await example(page, "pairs");
  const scheme = await page
    .locator("live-example[name=pairs]")
    .evaluate((element) => getComputedStyle(element).colorScheme);
  expect(scheme).toBe("dark");
  expect(complaints).toEqual([]);
});
