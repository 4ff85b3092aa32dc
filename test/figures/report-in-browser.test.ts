import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type TestContext, afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyBlockPage } from "../support/report-page.js";
import { connectChromium } from "../support/shared-chromium.js";

let browser: Browser | string = "the browser is not connected";
beforeAll(async () => {
  browser = await connectChromium();
});
afterAll(async () => {
  if (typeof browser !== "string") await browser.close();
});

async function newPage(context: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  if (typeof browser === "string") context.skip(browser);
  const page = await browser.newPage(options);
  context.onTestFinished(() => page.close());
  return page;
}

describe("reportPage in Chromium", () => {
  test("does not scroll sideways on a phone of 320 pixels, and requests nothing", async (context) => {
    const tab = await newPage(context, { viewport: { width: 320, height: 640 } });
    const requests: string[] = [];
    const problems: string[] = [];
    tab.on("request", (request) => requests.push(request.url()));
    tab.on("console", (message) => problems.push(message.text()));
    await tab.setContent(await everyBlockPage());
    const tooWide = await tab.evaluate(() =>
      [...document.querySelectorAll("main > *, section > *")]
        .filter((element) => element.getBoundingClientRect().right > 320)
        .map(({ outerHTML }) => outerHTML.slice(0, 60)),
    );
    expect(tooWide).toEqual([]);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("is light on light paper, dark on a dark screen and light in print", async (context) => {
    const tab = await newPage(context);
    await tab.setContent(await everyBlockPage());
    const inkAndPaper = () =>
      tab.evaluate(() => [
        getComputedStyle(document.querySelector("svg")!).color,
        getComputedStyle(document.body).backgroundColor,
      ]);
    const light = ["rgb(31, 35, 40)", "rgb(255, 255, 255)"];
    expect(await inkAndPaper()).toEqual(light);
    await tab.emulateMedia({ colorScheme: "dark" });
    expect(await inkAndPaper()).toEqual(["rgb(232, 234, 237)", "rgb(20, 23, 26)"]);
    await tab.emulateMedia({ colorScheme: "dark", media: "print" });
    expect(await inkAndPaper()).toEqual(light);
  });
});
