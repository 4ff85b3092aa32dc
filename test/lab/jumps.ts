/** What moves by itself on a page while things appear. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

type JumpScope = typeof globalThis & { jumps: string[] };

/** Loads the page again, and expects that nothing that is there moves while `act` waits for what is to come. */
export async function expectNoJumps(page: Page, act: () => Promise<void>): Promise<void> {
  await page.addInitScript(watchJumps);
  await page.reload();
  await page.locator("main article h1").waitFor();
  await act();
  // The last ones are told after the next frames.
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => (globalThis as JumpScope).jumps)).toEqual([]);
}

/** Runs on the page. */
function watchJumps(): void {
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
}
