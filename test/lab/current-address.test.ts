import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";

launchBeforeTests();

const hashOf = (page: Page): string => new URL(page.url()).hash;

describe("the address in the bar", { timeout: 2 * limitInMilliseconds }, () => {
  test("holds the last value of a slider after a long drag", async (context) => {
    const { page, complaints } = await openLab(context, "#denoise");
    const slider = page.getByLabel(/^Noise level σ/);
    // Chromium ignores more than 200 changes of the address in 10 seconds.
    await slider.evaluate(async (element: HTMLInputElement) => {
      for (let k = 0; k < 300; k++) {
        element.valueAsNumber = 10 + (k % 30);
        element.dispatchEvent(new InputEvent("input", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      element.valueAsNumber = 17;
      element.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    await expect.poll(() => hashOf(page)).toMatch(/added=17/);
    expect(complaints).toEqual([]);
  });

  test("keeps the choices of a panel after a visit to another one, also after Back", async (context) => {
    const { page } = await openLab(context, "#patches?view=samples");
    const link = (name: string) => page.getByRole("navigation").getByRole("link", { name });
    await page.getByRole("spinbutton", { name: "Seed" }).fill("7");
    await page.keyboard.press("Tab");
    // At once, before the address is written.
    await link("Denoise").click();
    await page.getByRole("heading", { level: 1, name: "Denoise" }).waitFor();
    expect(hashOf(page)).toBe("#denoise");
    await page.goBack();
    await expect.poll(() => hashOf(page)).toBe("#patches?view=samples&seed=7");
    await link("Denoise").click();
    await link("Patches").click();
    await expect.poll(() => hashOf(page)).toBe("#patches?view=samples&seed=7");
    await page.getByText(/seed 7/).waitFor();
  });
});
