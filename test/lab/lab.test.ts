import { describe, expect, test } from "vitest";
import { panels } from "../../lab/panels/panels.js";
import { expectAccessible, launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";

launchBeforeTests();

describe("the lab in Chromium", { timeout: 2 * limitInMilliseconds }, () => {
  test.for(["light", "dark"] as const)(
    "every tab opens without complaint and is accessible, %s",
    async (colorScheme, context) => {
      const { page, complaints } = await openLab(context, "", { colorScheme });
      for (const { name, title } of panels) {
        await page.getByRole("navigation").getByRole("link", { name: title }).click();
        await page.getByRole("heading", { level: 1, name: title }).waitFor();
        expect(new URL(page.url()).hash).toBe(`#${name}`);
        await expectAccessible(page);
      }
      expect(complaints).toEqual([]);
    },
  );

  test("the theme that was chosen is there after loading again", async (context) => {
    const { page } = await openLab(context);
    await page.getByLabel("Colours").selectOption("dark");
    await page.reload();
    await expect
      .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme))
      .toBe("dark");
  });

  test("the page's policy keeps strangers out", async (context) => {
    const { page, complaints } = await openLab(context);
    const outcome = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "globalThis.stranger = true";
      document.head.append(script);
      const fetched = await fetch("http://127.0.0.1:9/").then(
        () => "loaded",
        () => "refused",
      );
      return [fetched, "stranger" in globalThis];
    });
    expect(outcome).toEqual(["refused", false]);
    expect(complaints.filter((text) => text.includes("Content Security Policy"))).not.toEqual([]);
  });
});
