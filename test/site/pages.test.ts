/** Every page of the site opens, is accessible in both themes, fits a phone, and has live links. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  addressOf,
  allPages,
  launchBeforeTests,
  openContext,
  openPage,
  violationsOf,
} from "./in-site.js";

launchBeforeTests();

/** Links that pages hold after their scripts have run, and the places they can lead to. */
const links = new Map<string, readonly string[]>();
const places = new Map<string, ReadonlySet<string>>();

async function visit(context: BrowserContext, path: string): Promise<readonly string[]> {
  const { page, complaints } = await openPage(context, path);
  const found = [...complaints, ...(await violationsOf(page)), ...(await widthOf(page))];
  const { hrefs, ids } = await page.evaluate(() => ({
    hrefs: [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].map(({ href }) => href),
    ids: [...document.querySelectorAll("[id], a[name]")].map(
      (element) => element.id || (element.getAttribute("name") ?? ""),
    ),
  }));
  links.set(path, hrefs);
  places.set(path, new Set(ids));
  await page.close();
  return found;
}

/** A page must not scroll sideways. */
async function widthOf(page: Page): Promise<readonly string[]> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  return scrollWidth > clientWidth ? [`is ${scrollWidth} pixels wide of ${clientWidth}`] : [];
}

const screens = {
  "in light mode": { colorScheme: "light" },
  "in dark mode": { colorScheme: "dark" },
  "on a phone": { viewport: { width: 390, height: 844 } },
} as const;
type Screen = keyof typeof screens;
const names = Object.keys(screens) as Screen[];

test("the pages of the guides, the API reference and the lab are found", () => {
  expect(allPages).toContain("index.html");
  expect(allPages).toContain("docs/how-it-works.html");
  expect(allPages).toContain("api/gaussianize.html");
  expect(allPages).toContain("lab/index.html");
  expect(allPages.length).toBeGreaterThan(30);
});

test.for(allPages.flatMap((path) => names.map((screen) => ({ path, screen }))))(
  "$path $screen has no problems",
  async ({ path, screen }, context) => {
    expect(await visit(await openContext(context, screens[screen]), path)).toEqual([]);
  },
);

const isInternal = (href: string): boolean => href.startsWith("http://127.0.0.1");

// After the visits.
test("every link leads to a file of the site, and to a place in it", () => {
  const root = addressOf("");
  const dead = new Set<string>();
  for (const [from, hrefs] of links) {
    for (const href of hrefs.filter(isInternal)) {
      const [address, anchor = ""] = href.split("#");
      const path = decodeURIComponent(address.slice(root.length)).replace(
        /(^|\/)$/,
        "$1index.html",
      );
      const isThere = address.startsWith(root) && existsSync(join("dist/site", path));
      // The lab keeps its state behind the "#".
      const place = path.startsWith("lab/") ? "" : decodeURIComponent(anchor);
      if (!isThere || (place !== "" && !places.get(path)?.has(place))) dead.add(`${from}: ${href}`);
    }
  }
  expect([...dead]).toEqual([]);
});
