import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { type TestContext, describe, expect, test } from "vitest";
import { panels } from "../../lab/panels/panels.js";
import { expectNoJumps } from "./jumps.js";
import {
  button,
  expectAccessible,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
} from "./in-lab.js";

launchBeforeTests();

/** By address: waits for everything that loads by itself, and then for a first result. */
const firstResults: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  start: async (page) => {
    await page.getByText("places; the second response").waitFor();
    await page.getByRole("heading", { name: "Remove noise" }).waitFor();
  },
  pairs: async (page) => {
    await page.getByText("20,000 pairs.").waitFor();
    await button(page, "Fit all").click();
    await page.getByRole("img", { name: /^ΔJ .* latest: .*GDN/ }).waitFor();
    await page
      .getByText(/^step [1-9]/)
      .first()
      .waitFor();
  },
  patches: async (page) => {
    await page.getByRole("region", { name: /^Filter \d+$/ }).waitFor();
  },
  "patches?view=samples": async (page) => {
    await page.getByRole("listbox", { name: "Samples of GDN" }).waitFor();
    await page.getByRole("img", { name: "Patches of the picture" }).waitFor();
  },
  "patches?view=picture": async (page) => {
    await page.getByRole("img", { name: "Likelihood map" }).waitFor();
  },
  "denoise?method=marginal": async (page) => {
    await page.locator('.comparison img[alt="noisy"]').waitFor();
    await button(page, "Denoise").click();
    await page.locator('.comparison img[alt="Marginal"]').waitFor();
  },
  "train?steps=20000&patch=4": async (page) => {
    await page.getByText("8 pictures, with room for").waitFor();
    await button(page, "Fit").click();
    await page.getByRole("img", { name: /^Filters after/ }).waitFor();
    await page.getByText(/^Fitting.*, step [1-9]/).waitFor();
    await page.getByRole("img", { name: /^ΔJ/ }).waitFor();
    await button(page, "Stop").click();
    await page.getByRole("img", { name: "Samples of the model" }).waitFor();
  },
  runs: async (page) => {
    await page.getByText("This page was opened without a folder").waitFor();
  },
};

describe("the lab in Chromium", { timeout: 2 * limitInMilliseconds }, () => {
  test.for(["light", "dark"] as const)(
    "opens every tab without complaints, and each is accessible, %s",
    async (colorScheme, context) => {
      const { page, complaints } = await openLab(context, "", { colorScheme });
      for (const { name, title, heading } of panels) {
        await page.getByRole("navigation").getByRole("link", { name: title }).click();
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        expect(new URL(page.url()).hash).toBe(`#${name}`);
        await expectAccessible(page);
        // Screen readers need a text for each equation.
        expect(await page.locator("math:not([aria-label])").count()).toBe(0);
      }
      expect(complaints).toEqual([]);
    },
  );

  test.for(Object.entries(firstResults))(
    "nothing jumps while #%s opens and shows its first results",
    { timeout: 4 * limitInMilliseconds },
    async ([hash, act], context) => {
      const { page } = await openLab(context, `#${hash}`);
      page.setDefaultTimeout(2 * limitInMilliseconds);
      await expectNoJumps(page, () => act(page));
    },
  );

  test("keeps the chosen theme after a reload", async (context) => {
    const { page } = await openLab(context);
    await page.getByLabel("Theme").selectOption("dark");
    await page.reload();
    await expect
      .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme))
      .toBe("dark");
  });

  test("blocks foreign scripts and requests", async (context) => {
    const { page, complaints } = await openLab(context);
    const stranger = await serveEveryone(context);
    const outcome = await page.evaluate(async (address) => {
      const script = document.createElement("script");
      script.textContent = "globalThis.stranger = true";
      document.head.append(script);
      const fetched = await fetch(address).then(
        () => "loaded",
        () => "refused",
      );
      return [fetched, "stranger" in globalThis];
    }, stranger);
    expect(outcome).toEqual(["refused", false]);
    for (const directive of ["script-src", "connect-src"]) {
      expect(complaints.filter((text) => text.includes(directive))).not.toEqual([]);
    }
  });
});

/** Starts a server that every page may read, and returns its address. */
async function serveEveryone(context: TestContext): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
