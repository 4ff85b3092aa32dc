/** Writes the pictures of the lab in docs/pictures: dist/lab (`npm run build`) in Chromium. */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import sharp from "sharp";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** @param {string} path */
const built = (path) => import(pathToFileURL(join(root, "dist", path)).href);
const { launchChromium } = await built("test/support/chromium.js");
const { openLabServer } = await built("node/lab-server.js");

/** Width of the pictures in pixels. */
const width = 1100;
const limitInMilliseconds = 300_000;

/** @typedef {import("playwright-core").Page} Page */

/** @type {Record<string, { hash: string; act: (page: Page) => Promise<unknown> }>} */
const pictures = {
  start: {
    hash: "start",
    act: async (page) => {
      await page.getByText("places; the second response").waitFor();
      await page.getByRole("region", { name: "Divide" }).scrollIntoViewIfNeeded();
      await page.getByText("Fitted in").waitFor();
      await page.getByRole("region", { name: "Two responses" }).evaluate((section) => {
        section.scrollIntoView({ block: "start" });
        scrollBy(0, -16);
      });
    },
  },
  pairs: {
    hash: "pairs",
    act: async (page) => {
      await page.getByText("20,000 pairs.").waitFor();
      await page.getByRole("button", { name: "Fit all", exact: true }).click();
      const files = page.getByRole("button", { name: /as a model file$/, disabled: false });
      await files.nth(3).waitFor();
    },
  },
  patches: {
    hash: "patches?view=picture",
    act: (page) => page.getByRole("img", { name: "Likelihood map" }).waitFor(),
  },
  denoise: {
    hash: "denoise",
    act: async (page) => {
      await page.locator('.comparison img[alt="noisy"]').waitFor();
      await page.getByRole("button", { name: "Denoise", exact: true }).click();
      await page.locator('.comparison img[alt="GDN, three rounds"]').waitFor();
      await page.getByRole("checkbox", { name: "Loupe" }).check();
      await page.locator(".pair").hover({ position: { x: 480, y: 150 } });
    },
  },
};

const server = await openLabServer({ folder: join(root, "dist/lab"), runs: undefined });
const browser = await launchChromium();
if (typeof browser === "string") throw new Error(browser);
for (const [name, { hash, act }] of Object.entries(pictures)) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 860 },
    colorScheme: "light",
  });
  page.setDefaultTimeout(limitInMilliseconds);
  await page.goto(`${server.address}#${hash}`);
  await act(page);
  // The last change is drawn in the next frames.
  await page.waitForTimeout(500);
  await sharp(await page.screenshot())
    .resize({ width })
    .png({ palette: true, effort: 10 })
    .toFile(join(root, `docs/pictures/lab-${name}.png`));
  await page.close();
}
await browser.close();
await server.close();
