/** Detects parts of a page that jump while others appear. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** The page's globals after {@link watchJumps}. */
type JumpScope = typeof globalThis & { allJumps: () => Promise<string[]> };

/** Reloads the page, and expects that nothing moves by itself until `act` has ended. */
export async function expectNoJumps(page: Page, act: () => Promise<void>): Promise<void> {
  await page.addInitScript(watchJumps);
  await page.reload();
  await page.locator("main article h1").waitFor();
  await act();
  expect(await page.evaluate(() => (globalThis as JumpScope).allJumps())).toEqual([]);
}

/** Runs on the page. */
function watchJumps(): void {
  interface LayoutShift extends PerformanceEntry {
    readonly value: number;
    readonly sources: readonly { readonly node: Node | null }[];
  }
  const jumps: string[] = [];
  const note = (entries: PerformanceEntryList): void => {
    for (const { value, sources } of entries as LayoutShift[]) {
      // Invisible: a tenth of the screen moved by a hundredth of its height.
      if (value < 0.001) continue;
      const names = sources.map(({ node }) => (node as Element | null)?.outerHTML.slice(0, 80));
      jumps.push(`${value.toFixed(4)}: ${names.join(" | ")}`);
    }
  };
  const observer = new PerformanceObserver((list) => {
    note(list.getEntries());
  });
  observer.observe({ type: "layout-shift", buffered: true });
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const allJumps = async (): Promise<string[]> => {
    // Changes are drawn in the first frame, and reported before the third.
    for (let frame = 0; frame < 3; frame++) await nextFrame();
    note(observer.takeRecords());
    return jumps;
  };
  Object.assign(globalThis, { allJumps });
}
