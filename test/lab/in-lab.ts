/** For test files that need the lab in a real browser: dist/lab, served by its own server. */
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, BrowserContextOptions, Download, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll, expect } from "vitest";
import { type LabServer, openLabServer } from "../../node/lab-server.js";
import { connectChromium } from "../support/shared-chromium.js";

export const limitInMilliseconds = 100_000;

export interface OpenLab {
  readonly page: Page;
  /** What the console and the page complained about. */
  readonly complaints: string[];
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let browser: Browser | string = "the browser is not connected";
let server: LabServer | undefined;

/**
 * Connects to the browser and starts the server before the tests of a file, and ends both after
 * them. `runs` makes the folder of runs that the server is started with.
 */
export function launchBeforeTests({ runs }: { runs?: () => Promise<string> } = {}): void {
  beforeAll(async () => {
    browser = await connectChromium();
    if (typeof browser === "string") return;
    server = await openLabServer({ folder: here("../../dist/lab"), runs: await runs?.() });
  }, 2 * limitInMilliseconds);

  afterAll(async () => {
    if (typeof browser !== "string") await browser.close();
    await server?.close();
  });
}

/**
 * The lab at "#pairs?seed=2", in a context of its own (`{ colorScheme: "dark", viewport: { width:
 * 360, height: 800 } }`), or the test is skipped with the reason why there is no browser.
 */
export async function openLab(
  context: TestContext,
  hash = "",
  options: BrowserContextOptions = {},
): Promise<OpenLab> {
  if (typeof browser === "string") context.skip(browser);
  const own = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.onTestFinished(() => own.close());
  const page = await own.newPage();
  page.setDefaultTimeout(limitInMilliseconds);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${labAddress()}${hash}`);
  await page.locator("main article h1").waitFor();
  return { page, complaints };
}

/** Address of the server of this file's tests; ends with a slash. */
export function labAddress(): string {
  return server?.address ?? "";
}

/**
 * Contents of a downloaded file. The browser belongs to another process, so it has no path here.
 */
export async function contentsOf(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}

/** What axe-core finds wrong, each as "rule: elements"; nothing is expected. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page's policy forbids scripts from elsewhere; what the debugger evaluates is none of them.
  const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(path, "utf8"));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
    };
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(
      ({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join("  ")}`,
    );
  });
  expect(violations).toEqual([]);
}

/** For people to look at: test/lab/screenshots/name.png, where GAUSSIANIZE_SCREENSHOTS is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.GAUSSIANIZE_SCREENSHOTS) return;
  await mkdir(here("screenshots"), { recursive: true });
  await page.screenshot({ path: here(`screenshots/${name}.png`), fullPage: true });
}
