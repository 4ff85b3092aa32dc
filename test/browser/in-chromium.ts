/** Opens pages in a real browser. */
import type { Browser, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll } from "vitest";
import { type Site, type SiteServer, bundlePage, serveSite } from "../support/bundled-page.js";
import { connectChromium } from "../support/shared-chromium.js";
import type { PageFunctions } from "./page/main.js";

export const limitInMilliseconds = 100_000;

export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console and the page. */
  readonly complaints: string[];
}

/** Global scope with the functions of page/main.ts. */
export type PageScope = typeof globalThis & { page: PageFunctions };

let browser: Browser | string = "the browser is not connected";
let server: SiteServer | undefined;
/** Built once for all test files of this process. */
let site: Promise<Site> | undefined;

/** Connects to the browser and serves the page for the tests of a file. */
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

/** Opens a new page, or skips the test if there is no browser. */
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
