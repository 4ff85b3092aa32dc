/** For test files that need a page in a real browser. */
import type { Browser, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll } from "vitest";
import { type Site, type SiteServer, bundlePage, serveSite } from "../support/bundled-page.js";
import { connectChromium } from "../support/shared-chromium.js";
import type { PageFunctions } from "./page/main.js";

export const limitInMilliseconds = 100_000;

export interface OpenPage {
  readonly page: Page;
  /** What the console and the page complained about. */
  readonly complaints: string[];
}

/** Where page/main.ts puts its functions. */
export type PageScope = typeof globalThis & { page: PageFunctions };

let browser: Browser | string = "the browser is not connected";
let server: SiteServer | undefined;
/** Made once, for all files that vitest runs in this process. */
let site: Promise<Site> | undefined;

/**
 * Connects to the browser and serves the page before the tests of a file, and ends both after them.
 */
export function launchBeforeTests(): void {
  beforeAll(async () => {
    browser = await connectChromium();
    if (typeof browser === "string") return;
    site ??= bundlePage(new URL("./page/", import.meta.url));
    server = await serveSite(await site, /worker-entry/);
  }, 2 * limitInMilliseconds);

  afterAll(async () => {
    if (typeof browser !== "string") await browser.close();
    await server?.close();
  });
}

/** A fresh page, or the test is skipped with the reason why there is no browser. */
export async function openPage(context: TestContext, path = ""): Promise<OpenPage> {
  if (typeof browser === "string") context.skip(browser);
  const page = await browser.newPage();
  context.onTestFinished(() => page.close());
  page.setDefaultTimeout(limitInMilliseconds);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${server?.address ?? ""}${path}`);
  await page.waitForFunction(() => "page" in globalThis);
  return { page, complaints };
}
