import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
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

  test("the first load is less than 300 kB, and has no model and no prior", async (context) => {
    const { page } = await openLab(context);
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(request.url()));
    await page.reload({ waitUntil: "networkidle" });
    expect([...asked].filter((address) => address.endsWith(".safetensors"))).toEqual([]);
    // Photographs are data: the panel that opens first shows one.
    const code = [...asked].filter(
      (address) => address.startsWith("http") && !address.endsWith(".jpg"),
    );
    let bytes = 0;
    for (const address of code) {
      const response = await fetch(address, { headers: { "accept-encoding": "identity" } });
      bytes += gzipSync(await response.arrayBuffer()).length;
    }
    expect(code.length).toBeGreaterThan(3);
    expect(bytes).toBeLessThan(300_000);
  });

  test.for(panels.map(({ name }) => name))(
    "nothing jumps while %s opens",
    async (name, context) => {
      const { page } = await openLab(context, `#${name}`);
      await watchJumps(page);
      await page.reload({ waitUntil: "networkidle" });
      await page.locator("main article h1").waitFor();
      await page.waitForTimeout(500);
      expect(await page.evaluate(() => (globalThis as JumpScope).jumps)).toEqual([]);
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

type JumpScope = typeof globalThis & { jumps: string[] };

/** Notes what moves by itself, from the next load on. */
async function watchJumps(page: Page): Promise<void> {
  await page.addInitScript(() => {
    interface LayoutShift extends PerformanceEntry {
      readonly value: number;
      readonly sources: readonly { readonly node: Node | null }[];
    }
    const jumps: string[] = [];
    Object.assign(globalThis, { jumps });
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as LayoutShift[]) {
        // A hundredth of a screen's height of a tenth of it, that is: what nobody sees.
        if (value < 0.001) continue;
        const names = sources.map(({ node }) => (node as Element | null)?.outerHTML.slice(0, 80));
        jumps.push(`${value.toFixed(4)}: ${names.join(" | ")}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}
