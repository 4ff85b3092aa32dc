/** The engines that are tested, each launched once for a test file. */
import { type TestContext, afterAll, beforeAll } from "vitest";
import { openChromium } from "./chromium.js";
import { type Engine, type EnginePage, MissingBrowser } from "./engine.js";
import { openFirefox } from "./firefox.js";
import { openWebKit } from "./webkit.js";

const launchers = { Chromium: openChromium, Firefox: openFirefox, WebKitGTK: openWebKit } as const;

export type EngineName = keyof typeof launchers;
export const engineNames = Object.keys(launchers) as EngineName[];

/** "Firefox,WebKitGTK": browsers whose absence fails instead of being skipped. */
const required = (process.env.GAUSSIANIZE_REQUIRE_BROWSERS ?? "").split(",");

/** Opens a page, or skips the test with the reason why there is no browser. */
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
      // Said aloud, since a silent skip looks like success.
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
