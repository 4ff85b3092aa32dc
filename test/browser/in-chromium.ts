/** For test files that need a page in a real browser. */
import type { Browser, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll } from "vitest";
import { type SiteServer, bundlePage, serveSite } from "../support/bundled-page.js";
import { launchChromium } from "../support/chromium.js";
import type { PageFunctions } from "./page/main.js";

export const limitInMilliseconds = 25_000;

export interface OpenPage {
  readonly page: Page;
  /** What the console and the page complained about. */
  readonly complaints: string[];
}

/** Where page/main.ts puts its functions. */
export type PageScope = typeof globalThis & { page: PageFunctions };

let browser: Browser | string = "the browser was not launched";
let server: SiteServer | undefined;

/** Launches the browser before the tests of a file, and closes it after them. */
export function launchBeforeTests(): void {
  beforeAll(async () => {
    browser = await launchChromium();
    if (typeof browser === "string") {
      if (process.env.CI) throw new Error(browser);
      // Said aloud, since a silent skip looks like success.
      console.warn(`Browser tests: SKIPPED. ${browser}`);
      return;
    }
    const site = await bundlePage(new URL("./page/", import.meta.url));
    server = await serveSite(site, /worker-entry/);
  }, limitInMilliseconds);

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
