/** Firefox, by Puppeteer over WebDriver BiDi. */
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import {
  type Engine,
  type EnginePage,
  MissingBrowser,
  limitInMilliseconds,
  viewport,
} from "./engine.js";

const installed = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

export async function openFirefox(): Promise<Engine> {
  const executablePath = process.env.GAUSSIANIZE_FIREFOX ?? installed.find(existsSync);
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
