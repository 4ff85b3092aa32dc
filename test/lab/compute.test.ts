import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";

launchBeforeTests();

const filterOf = (page: Page): string | undefined =>
  /filter=(\d+)/.exec(new URL(page.url()).hash)?.[1];

describe("the compute worker", { timeout: 2 * limitInMilliseconds }, () => {
  test("jobs that were superseded while another one ran are not performed", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?filter=40");
    await page.getByRole("region", { name: "Filter 40" }).waitFor();
    const list = page.getByRole("listbox", { name: "Filters of GDN" });
    // The worker is asked by forty arrow keys in one go, and then by one more.
    await list.evaluate(async (element) => {
      for (let k = 0; k < 40; k++) {
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    const begin = performance.now();
    await expect.poll(() => filterOf(page)).not.toBe("40");
    await expect
      .poll(async () => page.getByRole("region", { name: `Filter ${filterOf(page)}` }).count())
      .toBe(1);
    // All forty one after the other took 20 seconds; on a machine with much else to do, the last one alone takes less than one.
    expect(performance.now() - begin).toBeLessThan(4000);
    expect(complaints).toEqual([]);
  });

  test("a script that did not come once is asked for again by the next job", async (context) => {
    const { page } = await openLab(context, "#runs");
    let blocked = 0;
    await page.context().route(/worker-entry-.*\.js/, (route) => {
      blocked++;
      return route.abort();
    });
    await page.goto(page.url().replace("#runs", "?again#patches?view=samples"));
    await page.getByRole("alert").filter({ hasText: "could not be loaded" }).first().waitFor();
    expect(blocked).toBeGreaterThan(0);
    await page.context().unroute(/worker-entry-.*\.js/);
    await page.getByRole("button", { name: "Next seed" }).click();
    await page.getByText("36 draws from GDN, seed 2").waitFor();
    await page.getByRole("listbox", { name: "Samples of GDN" }).waitFor();
  });
});
