import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { type TestContext, describe, expect, test } from "vitest";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { temporaryFolder } from "../support/folders.js";
import { launchBeforeTests, openLab } from "./in-lab.js";
import { tasksWhile } from "./main-thread.js";

launchBeforeTests();

const minute = 60_000;
/** In milliseconds of CPU time. */
const mostPerTask = 100;

async function expectResponsive(
  context: TestContext,
  page: Page,
  act: () => Promise<void>,
): Promise<void> {
  const tasks = await tasksWhile(page, act);
  const words = tasks
    .slice(0, 5)
    .map(({ cpuInMilliseconds, from }) => `${cpuInMilliseconds.toFixed(1)} ms: ${from}`);
  await context.annotate(`longest of ${tasks.length} tasks: ${words.join("; ")}`);
  expect(words.filter((_, k) => tasks[k].cpuInMilliseconds > mostPerTask)).toEqual([]);
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("no task on the page takes more than 100 ms", { timeout: 3 * minute }, () => {
  test("and one that does is found", async (context) => {
    const { page } = await openLab(context, "#runs");
    const tasks = await tasksWhile(page, () =>
      page.evaluate(() => {
        const end = performance.now() + 600;
        while (performance.now() < end);
      }),
    );
    expect(tasks[0].cpuInMilliseconds).toBeGreaterThan(mostPerTask);
  });

  test("Pairs, while four models are fitted", async (context) => {
    const { page } = await openLab(context, "#runs");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      await page.getByRole("link", { name: "Pairs" }).click();
      await page.getByText("20,000 pairs.").waitFor();
      await button(page, "Fit all").click();
      const files = page.getByRole("button", { name: /as a model file$/, disabled: false });
      await expect.poll(() => files.count(), { timeout: 2 * minute }).toBe(4);
    });
  });

  test("Denoise, with a picture of six megapixels", async (context) => {
    const path = join(await temporaryFolder("responsive"), "large.jpg");
    const [{ path: photograph }] = embeddedPhotographs();
    await sharp(photograph).resize(3000, 2000, { fit: "fill" }).jpeg().toFile(path);
    const { page } = await openLab(context, "#denoise");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      // A file on the disk: playwright would decode the bytes of a buffer on the page.
      await page.locator(".drop input").setInputFiles(path);
      await page.getByText("3000×2000 pixels, colour").waitFor();
      await page.getByRole("combobox", { name: "Size" }).selectOption("four");
      await button(page, "Denoise").click();
      await page.getByText(/GDN, three rounds: Denoising: brightness/).waitFor();
      await button(page, "Cancel").click();
      await page.getByRole("combobox", { name: "Part" }).selectOption("512");
      await page.getByText("512×512 of 3000×2000").waitFor();
      await page.getByRole("tab", { name: "Marginal" }).click();
      await button(page, "Denoise").click();
      await page.locator('.comparison img[alt="Marginal"]').waitFor();
    });
  });

  test("Train, while a model is fitted", async (context) => {
    const { page } = await openLab(context, "#train?steps=300&batch=128");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      await page.getByText("8 pictures, with room for").waitFor();
      await button(page, "Fit").click();
      await page.getByRole("img", { name: "Samples of the model" }).waitFor();
    });
  });
});
