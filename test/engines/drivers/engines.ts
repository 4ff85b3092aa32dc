/** Launches the tested engines, each once for a test file. */
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { type TestContext, afterAll, beforeAll } from "vitest";
import { launchChromium } from "../../support/chromium.js";
import {
  type Engine,
  type EnginePage,
  MissingBrowser,
  limitInMilliseconds,
  viewport,
} from "./engine.js";
import { openWebKit } from "./webkit.js";

const launchers = { Chromium: openChromium, Firefox: openFirefox, WebKitGTK: openWebKit } as const;

export type EngineName = keyof typeof launchers;
export const engineNames = Object.keys(launchers) as EngineName[];

/** Browsers whose absence is a failure instead of a skip: "Firefox,WebKitGTK". */
const required = (process.env.GAUSSIANIZE_REQUIRE_BROWSERS ?? "").split(",");

/** Opens a page, or skips the test if there is no browser. */
export type OpenPage = (context: TestContext, address: string) => Promise<EnginePage>;

/** Launches a browser before the tests of a suite, and closes it after them. */
export function launchBeforeTests(name: EngineName): OpenPage {
  let engine: Engine | MissingBrowser | undefined;
  beforeAll(async () => {
    try {
      engine = await launchers[name]();
      console.info(`Engine: ${engine.version}`);
    } catch (error) {
      if (!(error instanceof MissingBrowser) || required.includes(name)) throw error;
      engine = error;
      // A silent skip would look like success.
      console.warn(`${name}: SKIPPED. ${error.message}`);
    }
  });
  afterAll(async () => {
    if (engine && !(engine instanceof MissingBrowser)) await engine.close();
  });
  return async (context, address) => {
    if (!engine || engine instanceof MissingBrowser) return context.skip(engine?.message);
    const page = await engine.open(address);
    context.onTestFinished(() => page.close());
    return page;
  };
}

/** Launches Chromium with Playwright. */
async function openChromium(): Promise<Engine> {
  const browser = await launchChromium();
  if (typeof browser === "string") throw new MissingBrowser(browser);
  return {
    version: `Chromium ${browser.version()}`,
    async open(address) {
      const page = await browser.newPage({ viewport });
      page.setDefaultTimeout(limitInMilliseconds);
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(address);
      const open: EnginePage = {
        evaluate: <T>(body: string) => page.evaluate<T>(`(async () => {${body}})()`),
        click: (xpath) => page.locator(`xpath=${xpath}`).first().click(),
        screenshot: () => page.screenshot(),
        complaints: () => Promise.resolve(complaints),
        close: () => page.close(),
      };
      return open;
    },
    close: () => browser.close(),
  };
}

const firefoxPaths = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

/** Launches Firefox with Puppeteer over WebDriver BiDi. */
async function openFirefox(): Promise<Engine> {
  const executablePath = process.env.GAUSSIANIZE_FIREFOX ?? firefoxPaths.find(existsSync);
  if (executablePath === undefined) {
    throw new MissingBrowser(
      "No Firefox was found: install firefox-esr, or name its path in GAUSSIANIZE_FIREFOX.",
    );
  }
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath,
    headless: true,
    protocolTimeout: 2 * limitInMilliseconds,
    defaultViewport: viewport,
  });
  return {
    version: (await browser.version()).replace("/", " "),
    async open(address) {
      const page = await browser.newPage();
      page.setDefaultTimeout(limitInMilliseconds);
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(address);
      const open: EnginePage = {
        evaluate: <T>(body: string) => page.evaluate(`(async () => {${body}})()`) as Promise<T>,
        click: (xpath) => page.locator(`::-p-xpath(${xpath})`).click(),
        screenshot: () => page.screenshot(),
        complaints: () => Promise.resolve(complaints),
        close: () => page.close(),
      };
      return open;
    },
    close: () => browser.close(),
  };
}
