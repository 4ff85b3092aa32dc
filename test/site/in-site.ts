/** Serves dist/site from a deep folder, and opens its pages in a real browser. */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll } from "vitest";
import { connectChromium } from "../support/shared-chromium.js";

const site = "dist/site";
const folder = "/some/deep/folder/";
export const limitInMilliseconds = 100_000;

/** Paths of all pages, relative to the site. */
export const allPages: readonly string[] = readdirSync(site, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".html"))
  .sort();

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".jpg": "image/jpeg",
  ".woff2": "font/woff2",
};

let browser: Browser | string = "the browser is not connected";
let server: Server | undefined;
let axe = "";

/** Connects to the browser and starts the server for the tests of a file. */
export function launchBeforeTests(): void {
  serveBeforeTests();
  beforeAll(async () => {
    browser = await connectChromium();
    // The policy of a page does not apply to code from the debugger.
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  });

  afterAll(async () => {
    if (typeof browser !== "string") await browser.close();
  });
}

/** Starts the server for the tests of a file. */
export function serveBeforeTests(): void {
  beforeAll(async () => {
    const started = createServer((request, response) => {
      void answer(request.url ?? "/").then(({ status, type, body }) => {
        response.writeHead(status, { "content-type": type }).end(body);
      });
    });
    await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
    server = started;
  });

  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });
}

/** Serves files of the site from the deep folder, and nothing from elsewhere. */
async function answer(url: string) {
  const missing = {
    status: 404,
    type: "text/plain",
    body: "There is no such file." as string | Buffer,
  };
  const { pathname } = new URL(url, "http://localhost");
  if (!pathname.startsWith(folder)) return missing;
  const name = decodeURIComponent(pathname.slice(folder.length)).replace(/(^|\/)$/, "$1index.html");
  try {
    const body = await readFile(join(site, name));
    return { status: 200, type: types[extname(name)] ?? "application/octet-stream", body };
  } catch {
    return missing;
  }
}

/** Returns the address of a page of the site. */
export function addressOf(path: string): string {
  const { port } = server?.address() as AddressInfo;
  return `http://127.0.0.1:${port}${folder}${path}`;
}

/** Returns a new context, or skips the test if there is no browser. */
export async function openContext(
  context: TestContext,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  if (typeof browser === "string") context.skip(browser);
  const own = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.onTestFinished(() => own.close());
  own.setDefaultTimeout(limitInMilliseconds);
  return own;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, failed requests, and requests to other hosts. */
  readonly complaints: string[];
}

export async function openPage(context: BrowserContext, path: string): Promise<OpenPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  const root = addressOf("");
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(root) && !/^(blob|data):/.test(url)) complaints.push(`asks for ${url}`);
  });
  await page.goto(addressOf(path), { waitUntil: "networkidle" });
  // The switch of the theme has no name until VitePress has taken over the page.
  await page.waitForFunction(() => !document.querySelector(".VPSwitchAppearance[title='']"));
  return { page, complaints };
}

/** Returns the violations that axe-core finds. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const scope = globalThis as unknown as {
      axe: { run(context: Document, options: object): Promise<AxeResults> };
    };
    const found = await scope.axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(
      ({ id, help, nodes }) =>
        `${id} (${help}): ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 300))
          .join("  ")}`,
    );
  });
}
