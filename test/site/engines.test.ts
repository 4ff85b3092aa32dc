/** Every page of the site opens in Firefox and WebKitGTK. pages.test.ts does more in Chromium. */
import { describe, expect, test } from "vitest";
import { violationsIn } from "../engines/drivers/axe.js";
import { waitFor } from "../engines/drivers/engine.js";
import { launchBeforeTests } from "../engines/drivers/engines.js";
import { addressOf, allPages, serveBeforeTests } from "./in-site.js";

serveBeforeTests();

/** Expression for the place of an example. */
const example = (name: string): string => `document.querySelector("live-example[name=${name}]")`;
const within = (name: string, selector: string): string =>
  `${example(name)}.shadowRoot?.querySelector(${JSON.stringify(selector)})`;

describe.each(["Firefox", "WebKitGTK"] as const)("the site in %s", (name) => {
  const openPage = launchBeforeTests(name);

  test.for(allPages)("%s opens, without errors and axe findings", async (path, context) => {
    const page = await openPage(context, addressOf(path));
    await waitFor(page, `document.querySelector("main h1, [role=main] h1")`);
    // The switch of the theme has no name until VitePress has taken over the page.
    await waitFor(page, `!document.querySelector(".VPSwitchAppearance[title='']")`);
    expect(await violationsIn(page)).toEqual([]);
    expect(await page.complaints()).toEqual([]);
  });

  test("the examples of the front page run", async (context) => {
    const page = await openPage(context, addressOf(""));
    for (const [which, isThere] of [
      ["pairs", `${within("pairs", "button.main")}?.disabled === false`],
      ["samples", within("samples", "canvas[aria-label='The patch at the point']")],
      ["denoise", `${within("denoise", "button.main")}?.disabled === false`],
    ] as const) {
      await page.evaluate(`${example(which)}.scrollIntoView({ block: "center" });`);
      await waitFor(page, isThere);
    }
    await page.evaluate(`${within("pairs", "button.main")}.click();`);
    await waitFor(
      page,
      `${within("pairs", ".words")}?.textContent.includes("after the fit:") ?? false`,
    );
    await page.evaluate(`${within("denoise", "button.main")}.click();`);
    await waitFor(
      page,
      `${within("denoise", ".words")}?.textContent.includes("Denoised:") ?? false`,
    );
    expect(await page.complaints()).toEqual([]);
  });
});
