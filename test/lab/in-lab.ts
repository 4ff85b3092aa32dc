/** Opens dist/lab, served by its own server, in a real browser. */
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, BrowserContextOptions, Download, Locator, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll, expect } from "vitest";
import { type LabServer, openLabServer } from "../../node/lab-server.js";
import { connectChromium } from "../support/shared-chromium.js";

export const limitInMilliseconds = 100_000;

export interface OpenLab {
  readonly page: Page;
  /** Errors and warnings of the console and the page. */
  readonly complaints: string[];
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let browser: Browser | string = "the browser is not connected";
let server: LabServer | undefined;

/**
 * Connects to the browser and starts the server for the tests of a file. `runs` makes the folder of
 * runs for the server.
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
 * Opens the lab at "#pairs?seed=2" in a new context (`{ colorScheme: "dark", viewport: { width:
 * 360, height: 800 } }`). Skips the test if there is no browser.
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

/** Returns the address of the server; it ends with a slash. */
export function labAddress(): string {
  return server?.address ?? "";
}

export const button = (page: Page, name: string): Locator =>
  page.getByRole("button", { name, exact: true });

export const alert = (page: Page, hasText: string | RegExp): Locator =>
  page.getByRole("alert").filter({ hasText });

/** Gives files to the panel, as its file dialog does. */
export const drop = (page: Page, files: Parameters<Locator["setInputFiles"]>[0]): Promise<void> =>
  page.locator(".drop input").setInputFiles(files);

/** A file for {@link drop} that is not on disk. */
export const fileOf = (name: string, buffer: Buffer) => ({
  name,
  mimeType: name.endsWith(".png") ? "image/png" : "application/octet-stream",
  buffer,
});

/** Returns the contents of a download. It has no path, because the browser is another process. */
export async function contentsOf(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}

/** Expects no violations from axe-core, which also measures targets: 24 pixels, or room around. */
export async function expectAccessible(page: Page): Promise<void> {
  // The policy of the page does not apply to code from the debugger.
  const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(path, "utf8"));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
    };
    const found = await axe.run(document, {
      resultTypes: ["violations"],
      rules: { "target-size": { enabled: true } },
    });
    return found.violations.map(
      ({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join("  ")}`,
    );
  });
  expect(violations).toEqual([]);
}

/** Writes test/lab/screenshots/name.png if GAUSSIANIZE_SCREENSHOTS is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.GAUSSIANIZE_SCREENSHOTS) return;
  await mkdir(here("screenshots"), { recursive: true });
  await page.screenshot({ path: here(`screenshots/${name}.png`), fullPage: true });
}
