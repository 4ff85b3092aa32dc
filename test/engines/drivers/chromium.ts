/** Chromium, by Playwright. */
import { launchChromium } from "../../support/chromium.js";
import {
  type Engine,
  type EnginePage,
  MissingBrowser,
  limitInMilliseconds,
  viewport,
} from "./engine.js";

export async function openChromium(): Promise<Engine> {
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
