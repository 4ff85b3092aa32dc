/** Opens bench/page in Chromium, so that it can be asked for measurements. */
import { bundlePage, serveSite } from "../test/support/bundled-page.js";
import { launchChromium } from "../test/support/chromium.js";
import type { BenchFunctions } from "./page/main.js";

export interface BenchPage {
  readonly version: string;
  /** Calls a function of the page. */
  evaluate<Name extends keyof BenchFunctions>(
    name: Name,
    ...parameters: Parameters<BenchFunctions[Name]>
  ): ReturnType<BenchFunctions[Name]>;
  /** CPU time of the page and its workers so far. */
  cpuSeconds(): Promise<number>;
  close(): Promise<void>;
}

/** The global scope of the page, with its functions. */
type BenchScope = typeof globalThis & {
  bench: Record<string, (...parameters: readonly unknown[]) => unknown>;
};

/** Opens the page, or returns the reason why no browser can. */
export async function openBenchPage(): Promise<BenchPage | string> {
  const browser = await launchChromium();
  if (typeof browser === "string") return browser;
  // Bundles the sources, since dist/ has no pages.
  const server = await serveSite(await bundlePage(new URL("../../bench/page/", import.meta.url)));
  const close = async (): Promise<void> => {
    await browser.close();
    await server.close();
  };
  try {
    const page = await browser.newPage();
    await page.goto(server.address);
    await page.waitForFunction(() => "bench" in globalThis);
    const evaluate: BenchPage["evaluate"] = (name, ...parameters) =>
      page.evaluate(([name, parameters]) => (globalThis as BenchScope).bench[name](...parameters), [
        name,
        parameters,
      ] as const) as ReturnType<BenchFunctions[typeof name]>;
    const session = await browser.newBrowserCDPSession();
    const cpuSeconds = async (): Promise<number> => {
      const { processInfo } = await session.send("SystemInfo.getProcessInfo");
      return processInfo
        .filter(({ type }) => type === "renderer")
        .reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    };
    return { version: `Chromium ${browser.version()}`, evaluate, cpuSeconds, close };
  } catch (error) {
    await close();
    throw error;
  }
}
