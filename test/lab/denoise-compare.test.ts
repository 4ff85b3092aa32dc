/** Comparing pictures in Denoise: any two of them, their difference, and a loupe. */
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { temporaryFolder } from "../support/folders.js";
import {
  button,
  drop,
  expectAccessible,
  launchBeforeTests,
  openLab,
  screenshot,
} from "./in-lab.js";

launchBeforeTests();

const minute = 60_000;
const width = 64;
const height = 40;
const photograph = embeddedPhotographs().find(({ name }) => name === "nagasaki-boats")!;
const folder = await temporaryFolder("lab-compare");
const path = join(folder, "boats.png");
await sharp(photograph.path)
  .extract({ left: 420, top: 360, width, height })
  .greyscale()
  .toColourspace("b-w")
  .png()
  .toFile(path);

const choice = (page: Page, name: string): Locator => page.getByRole("combobox", { name });

/** Returns the grey value of each pixel of an image file that the page shows. */
const greysIn = (page: Page, alt: string): Promise<number[]> =>
  page
    .locator(`.comparison img[alt="${alt}"][src]`)
    .first()
    .evaluate(async (element) => {
      const image = element as HTMLImageElement;
      await image.decode();
      const { naturalWidth, naturalHeight } = image;
      const canvas = document.createElement("canvas");
      Object.assign(canvas, { width: naturalWidth, height: naturalHeight });
      const context = canvas.getContext("2d")!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, naturalWidth, naturalHeight);
      return Array.from({ length: naturalWidth * naturalHeight }, (_, k) => data[4 * k]);
    });

/** Returns the middle of each pixel of a picture that is shown four times as large. */
async function shownGreys(shown: Locator): Promise<number[]> {
  const { data, info } = await sharp(await shown.screenshot())
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(info.width).toBe(4 * width);
  return Array.from({ length: width * height }, (_, k) => {
    const [column, row] = [k % width, Math.floor(k / width)];
    return data[(4 * row + 2) * info.width + 4 * column + 2];
  });
}

async function openBoats(context: Parameters<typeof openLab>[0]) {
  const { page, complaints } = await openLab(context, "#denoise?seed=3&method=marginal");
  page.setDefaultTimeout(minute);
  await drop(page, path);
  await page.getByText("64×40 pixels, grey").waitFor();
  return { page, complaints };
}

async function denoise(page: Page, tab: string, row: string): Promise<void> {
  await page.getByRole("tab", { name: tab }).click();
  await button(page, "Denoise").click();
  await page.getByRole("rowheader", { name: row }).waitFor();
}

describe("the pictures of Denoise", { timeout: 2 * minute }, () => {
  test("are any two of the noisy, the clean and the denoised ones", async (context) => {
    const { page, complaints } = await openBoats(context);
    await page.getByText("Left: noisy. Right: clean.").waitFor();
    await denoise(page, "Marginal", "Marginal");
    await page.getByText("Left: noisy. Right: Marginal.").waitFor();
    await denoise(page, "GSM", "GSM");
    await page.getByText("Left: noisy. Right: GSM.").waitFor();
    await choice(page, "Left").selectOption("Marginal");
    await page.getByText("Left: Marginal. Right: GSM.").waitFor();
    await choice(page, "Right").selectOption("clean");
    await page.getByText("Left: Marginal. Right: clean.").waitFor();
    // A picture is not compared with itself.
    const offered = await choice(page, "Right").locator("option").allTextContents();
    expect(offered).toEqual(["noisy", "clean", "GSM"]);
    // Another noise discards the results.
    await page.getByRole("slider", { name: "Noise level" }).fill("40");
    await page.getByText("Left: noisy. Right: clean.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("differ by what the difference shows", async (context) => {
    const { page } = await openBoats(context);
    await choice(page, "Size").selectOption("4:1");
    const [noisy, clean] = [await greysIn(page, "noisy"), await greysIn(page, "clean")];
    await choice(page, "View").selectOption("difference × 4");
    await page.getByText("|noisy − clean|, 4 times as bright").waitFor();
    await page.locator(".pair .tag").evaluate((tag) => {
      tag.remove();
    });
    const shown = await shownGreys(page.locator(".pair"));
    const expected = noisy.map((value, k) => Math.min(255, 4 * Math.abs(value - clean[k])));
    // The corners of the picture are round.
    const isInside = (k: number): boolean => k % width > 1 && k % width < width - 2;
    const farthest = Math.max(
      ...shown.map((value, k) => (isInside(k) ? Math.abs(value - expected[k]) : 0)),
    );
    expect(new Set(expected).size).toBeGreaterThan(20);
    expect(farthest).toBeLessThanOrEqual(4);
  });

  test("are enlarged by the loupe under the pointer and the arrow keys", async (context) => {
    const { page, complaints } = await openBoats(context);
    await page.getByRole("checkbox", { name: "Loupe" }).check();
    const loupe = page.getByRole("application", { name: /^Loupe around/ });
    expect(await loupe.locator("figcaption").allTextContents()).toEqual([
      "noisy",
      "clean",
      "difference × 4",
    ]);
    const box = (await page.locator(".pair").boundingBox())!;
    await page.mouse.move(box.x + (10.5 / width) * box.width, box.y + (20.5 / height) * box.height);
    await page.getByRole("application", { name: "Loupe around column 10, row 20:" }).waitFor();
    await loupe.focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("application", { name: "Loupe around column 11, row 20:" }).waitFor();
    // The pixel is in the middle of each glass.
    const clean = await greysIn(page, "clean");
    const glass = loupe.locator(".glass").nth(1);
    const { data, info } = await sharp(await glass.screenshot())
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const middle = data[Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)];
    expect(Math.abs(middle - clean[20 * width + 11])).toBeLessThanOrEqual(2);
    await expectAccessible(page);
    await screenshot(page, "denoise-loupe");
    expect(complaints).toEqual([]);
  });

  test("show the middle of a large result first, until the run ends", async (context) => {
    const { page } = await openLab(context, "#denoise?method=gsm");
    page.setDefaultTimeout(minute);
    const large = join(folder, "large.png");
    await sharp(path).resize(1250, 900, { fit: "fill" }).png().toFile(large);
    await drop(page, large);
    await page.getByText(/^1250×900 pixels/).waitFor();
    await button(page, "Denoise").click();
    const tile = page.locator(".pair .tile");
    await tile.getByRole("img", { name: "first part of the result" }).waitFor();
    const [whole, part] = [await page.locator(".pair").boundingBox(), await tile.boundingBox()];
    expect(part!.width / whole!.width).toBeCloseTo(256 / 1250, 2);
    expect((part!.x - whole!.x) / whole!.width).toBeCloseTo(497 / 1250, 2);
    await button(page, "Cancel").click();
    await expect.poll(() => tile.count()).toBe(0);
  });

  test("come with the time that denoising takes, before and while it runs", async (context) => {
    const { page } = await openLab(context, "#denoise?part=512");
    page.setDefaultTimeout(minute);
    await page.getByText(/^GDN, three rounds: about \d+ s$/).waitFor();
    await button(page, "Denoise").click();
    // From the first moment, without any progress.
    expect(await page.locator(".action-state").innerText()).toMatch(/, about \d+ s left$/);
    await button(page, "Cancel").click();
  });
});
