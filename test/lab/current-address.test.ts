import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";

launchBeforeTests();

const hashOf = (page: Page): string => new URL(page.url()).hash;

describe("the address that users share", { timeout: 2 * limitInMilliseconds }, () => {
  test("it has the last place of a slider that was dragged for long", async (context) => {
    const { page, complaints } = await openLab(context, "#denoise");
    const slider = page.getByLabel(/^Strength σ/);
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

  test("what was chosen in a panel is there after a visit to another one, also by going back", async (context) => {
    const { page } = await openLab(context, "#patches?view=samples");
    const link = (name: string) => page.getByRole("navigation").getByRole("link", { name });
    await page.getByRole("spinbutton", { name: "Seed" }).fill("7");
    await page.keyboard.press("Tab");
    // At once: the address has not been written yet.
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
