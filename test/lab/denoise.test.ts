import { join } from "node:path";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { packagePriors } from "../../node/denoising-priors.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { readPicture } from "../../node/pictures/read-picture.js";
import { openRunner } from "../../node/worker-threads.js";
import type { PictureChannels } from "../../src/denoising/denoise-channels.js";
import { denoisePicture } from "../../src/denoising/denoise-picture.js";
import type { DenoiserSettings } from "../../src/denoising/picture-denoiser.js";
import { withPictureNoise } from "../../src/denoising/picture-noise.js";
import { pictureQuality } from "../../src/evaluation/picture-quality.js";
import { encodePng } from "../../src/figures/encode-png.js";
import { runCommand } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";
import { holdWorker } from "./compute-worker.js";
import {
  alert,
  button,
  contentsOf,
  drop,
  expectAccessible,
  fileOf,
  launchBeforeTests,
  openLab,
  screenshot,
} from "./in-lab.js";

launchBeforeTests();

const folder = await temporaryFolder("lab-denoise");
const path = (name: string): string => join(folder, name);
const photograph = embeddedPhotographs().find(({ name }) => name === "nagasaki-boats")!;
/** In colour and not square. PNG, because JPEG decoders may differ. */
const cut = await sharp(photograph.path)
  .extract({ left: 420, top: 360, width: 64, height: 40 })
  .removeAlpha()
  .png()
  .toBuffer();
await sharp(cut).toFile(path("boats.png"));
await sharp(cut).greyscale().toColourspace("b-w").png().toFile(path("grey.png"));

const sigma = 25;

/** Denoises the same pixels in Node, with the noise of --add-noise 25 --seed 3. */
async function inNode(name: string, settings: DenoiserSettings) {
  const clean = await readPicture(path(name));
  const noisy = withPictureNoise(clean, { sigma: sigma / 255, seed: 3, name });
  const runner = await openRunner({ workers: 0 });
  const denoised = await denoisePicture(runner, packagePriors(), noisy, {
    ...settings,
    sigma: sigma / 255,
    seed: 3,
  });
  await runner.close();
  return { clean, noisy, denoised };
}

const bytesOf = ({ width, height, channels }: PictureChannels): number[] => [
  ...encodePng({ width, height, channels }, { level: 6 }),
];

/** All digits of PSNR and SSIM. */
const qualityIn = async (row: Locator): Promise<readonly number[]> => {
  const values = await row
    .locator("data")
    .evaluateAll((all) => all.map((element) => Number((element as HTMLDataElement).value)));
  return values.slice(0, 2);
};

const row = (page: Page, name: string): Locator =>
  page.locator("table.quality tr").filter({ has: page.getByRole("rowheader", { name }) });

/**
 * Reads the shown pixels, because the policy of the page forbids to fetch blob: addresses. An image
 * gets its address after it appears.
 */
const imageBytes = (page: Page, alt: string): Promise<number[]> =>
  page.locator(`.comparison img[alt="${alt}"][src]`).evaluate(async (element) => {
    const image = element as HTMLImageElement;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext(
      "2d",
    )!;
    context.drawImage(image, 0, 0);
    return [...context.getImageData(0, 0, width, height).data];
  });

async function codesOf(picture: PictureChannels): Promise<number[]> {
  const png = Buffer.from(bytesOf(picture));
  return [...(await sharp(png).toColourspace("srgb").ensureAlpha().raw().toBuffer())];
}

const denoise = (page: Page): Promise<void> => button(page, "Denoise").click();

const minute = 60_000;

describe("the Denoise panel", { timeout: 2 * minute }, () => {
  test("gives the bits of Node and of the command in colour, with three rounds and one", async (context) => {
    const { page, complaints } = await openLab(context, "#denoise?part=128&seed=3");
    page.setDefaultTimeout(minute);
    await drop(page, path("boats.png"));
    await page.getByText("64×40 pixels, colour").waitFor();
    const three = await inNode("boats.png", { method: "gdn" });
    await row(page, "Noisy").locator("data").first().waitFor();
    const noisyQuality = pictureQuality(three.noisy, three.clean);
    expect(await qualityIn(row(page, "Noisy"))).toEqual([noisyQuality.psnr, noisyQuality.ssim]);
    await denoise(page);
    const quality = pictureQuality(three.denoised, three.clean);
    await row(page, "GDN, three rounds").waitFor();
    expect(await qualityIn(row(page, "GDN, three rounds"))).toEqual([quality.psnr, quality.ssim]);
    await page.locator('.comparison img[alt="GDN, three rounds"]').waitFor();
    expect(await imageBytes(page, "GDN, three rounds")).toEqual(await codesOf(three.denoised));
    expect(await imageBytes(page, "noisy")).toEqual(await codesOf(three.noisy));

    await page.getByRole("combobox", { name: "Rounds of GDN" }).selectOption("1");
    await denoise(page);
    const one = await inNode("boats.png", { method: "gdn", rounds: 1 });
    const fast = pictureQuality(one.denoised, one.clean);
    await row(page, "GDN, one round").waitFor();
    expect(await qualityIn(row(page, "GDN, one round"))).toEqual([fast.psnr, fast.ssim]);

    const words = ["--add-noise", "25", "--seed", "3", "--workers", "0", "--json"];
    const { stdout } = await runCommand("denoise", path("boats.png"), ...words);
    const [image] = (JSON.parse(stdout) as { images: { psnr: number; ssim: number }[] }).images;
    expect([image.psnr, image.ssim]).toEqual([quality.psnr, quality.ssim]);
    expect(complaints).toEqual([]);
  });

  test("changes tabs by keys, gives the bits of Node for GSM and marginal, and downloads them", async (context) => {
    const { page, complaints } = await openLab(context, "#denoise?seed=3");
    page.setDefaultTimeout(minute);
    await drop(page, path("grey.png"));
    await page.getByText("64×40 pixels, grey").waitFor();
    await page.getByRole("tab", { name: "GDN" }).focus();
    for (const [name, method] of [
      ["GSM", "gsm"],
      ["Marginal", "marginal"],
    ] as const) {
      await page.keyboard.press("ArrowRight");
      expect(await page.getByRole("tab", { name }).getAttribute("aria-selected")).toBe("true");
      await denoise(page);
      await row(page, name).waitFor();
      const { clean, denoised } = await inNode("grey.png", { method });
      const { psnr, ssim } = pictureQuality(denoised, clean);
      expect(await qualityIn(row(page, name))).toEqual([psnr, ssim]);
      await page.getByRole("tab", { name }).focus();
    }
    const line = page.getByRole("slider", { name: /move the line/ });
    await line.focus();
    await page.keyboard.press("End");
    expect(await line.inputValue()).toBe("100");
    expect(
      await page.locator(".pair").evaluate((pair) => pair.style.getPropertyValue("--split")),
    ).toBe("100%");
    const { denoised } = await inNode("grey.png", { method: "marginal" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download PNG" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("grey-denoised-marginal-sigma25.png");
    expect([...(await contentsOf(download))]).toEqual(bytesOf(denoised));
    await expectAccessible(page);
    await screenshot(page, "denoise");
    expect(complaints).toEqual([]);
  });

  test("rejects hostile files with a message, changes nothing, and takes the next picture", async (context) => {
    const { page, complaints } = await openLab(context, "#denoise?part=128&method=marginal");
    page.setDefaultTimeout(minute);
    await page.getByText("128×128 of").waitFor();
    await denoise(page);
    await row(page, "Marginal").waitFor();
    const png = await readFile(path("boats.png"));
    const huge = Buffer.from(png);
    huge.writeUInt32BE(30000, 16);
    huge.writeUInt32BE(30000, 20);
    const frames = await sharp([cut, await sharp(cut).negate().toBuffer()], {
      join: { animated: true },
    })
      .gif()
      .toBuffer();
    const cases: readonly (readonly [string, Buffer, RegExp])[] = [
      ["empty.png", Buffer.alloc(0), /empty\.png: it is empty\./],
      ["text.png", Buffer.from("no picture at all"), /text\.png as a picture: it is damaged/],
      ["damaged.png", png.subarray(0, 60), /damaged\.png as a picture: it is damaged/],
      ["huge.png", huge, /huge\.png: it has 30000×30000 pixels; at most 24 million/],
      ["moving.gif", frames, /moving\.gif as a picture: it is an animation/],
    ];
    for (const [name, buffer, sentence] of cases) {
      await drop(page, { name, mimeType: "image/png", buffer });
      await alert(page, sentence).waitFor();
    }
    expect(await page.getByText("128×128 of").count()).toBe(1);
    expect(await page.locator('.comparison img[alt="Marginal"]').count()).toBe(1);
    expect(new URL(page.url()).hash).toBe("#denoise?part=128&method=marginal");
    await button(page, "Close this message").click();
    expect(await page.getByRole("alert").count()).toBe(0);
    const [single, glass] = await Promise.all([
      sharp({ create: { width: 1, height: 1, channels: 3, background: "#804020" } })
        .png()
        .toBuffer(),
      sharp(cut).ensureAlpha(0.5).png().toBuffer(),
    ]);
    await drop(page, fileOf("single.png", single));
    await page.getByText("1×1 pixels, colour").waitFor();
    await page.getByRole("tab", { name: "Marginal" }).click();
    await denoise(page);
    await row(page, "Marginal").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await drop(page, fileOf("glass.png", glass));
    await page.getByText("64×40 pixels, colour").waitFor();
    // The photographs keep their part.
    await page.getByRole("combobox", { name: "Picture" }).selectOption("nagasaki-boats");
    await page.getByText("128×128 of").waitFor();
    expect(complaints).toEqual([]);
  });

  test("keeps the middle of a large picture in the middle", async (context) => {
    const { page } = await openLab(context, "#denoise?part=512&method=marginal");
    const size = page.getByRole("combobox", { name: "Size" });
    await size.selectOption("four");
    const box = page.locator(".comparison");
    const middle = (): Promise<readonly number[]> =>
      box.evaluate((element) => [
        Math.round((1000 * (element.scrollLeft + element.clientWidth / 2)) / element.scrollWidth),
        Math.round((1000 * (element.scrollTop + element.clientHeight / 2)) / element.scrollHeight),
      ]);
    expect(await middle()).toEqual([500, 500]);
    await box.evaluate((element) => {
      element.scrollTo(element.scrollWidth * 0.3, element.scrollHeight * 0.2);
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    const chosen = await middle();
    await size.selectOption("two");
    expect(await middle()).toEqual(chosen);
    await size.selectOption("fit");
    await size.selectOption("four");
    expect(await middle()).toEqual(chosen);
    await page.getByRole("slider", { name: "Noise level" }).fill("40");
    await denoise(page);
    await row(page, "Marginal").waitFor();
    expect(await middle()).toEqual(chosen);
  });

  test("says that it is busy while a picture is loaded or made noisy", async (context) => {
    const { page, complaints } = await openLab(context, "#denoise?method=marginal");
    page.setDefaultTimeout(minute);
    await page.getByText("256×256 of").waitFor();
    await row(page, "Noisy").locator("data").first().waitFor();
    const slider = page.getByRole("slider", { name: "Noise level" });
    const expectBusy = async (sentence: RegExp): Promise<void> => {
      await page.getByRole("status").filter({ hasText: sentence }).waitFor();
      // Everything at the same moment.
      const seen = await page.evaluate(() => ({
        isBusy: document.querySelector(".subject")?.ariaBusy,
        figures: document.querySelectorAll(".quality data").length,
        bars: document.querySelectorAll(".action-state progress:not([value])").length,
        sizes: document.body.textContent.match(/\d+×\d+ (of|pixels)/g),
      }));
      expect(seen).toEqual({ isBusy: "true", figures: 0, bars: 1, sizes: null });
      expect(await button(page, "Denoise").isDisabled()).toBe(true);
    };
    const dropping = await holdWorker(page);
    await drop(page, path("boats.png"));
    await expectBusy(/^(Loading|Preparing) boats\.png …$/);
    await dropping.release();
    await page.getByText("64×40 pixels, colour").waitFor();
    // It can be denoised before its figures are known.
    expect(await button(page, "Denoise").isDisabled()).toBe(false);
    await row(page, "Noisy").locator("data").first().waitFor();
    const place = await slider.boundingBox();
    const dragging = await holdWorker(page);
    await slider.fill("40");
    await expectBusy(/^Preparing boats\.png …$/);
    // The slider stays under the pointer.
    expect(await slider.boundingBox()).toEqual(place);
    await dragging.release();
    await page.getByText("64×40 pixels, colour").waitFor();
    expect(await page.locator(".subject").getAttribute("aria-busy")).toBe("false");
    expect(complaints).toEqual([]);
  });

  test("cancels a long denoising, and starts another one", async (context) => {
    const { page } = await openLab(context, "#denoise?method=marginal");
    page.setDefaultTimeout(minute);
    await sharp(photograph.path).resize(512, 512, { fit: "fill" }).png().toFile(path("large.png"));
    await drop(page, path("large.png"));
    await page.getByText("512×512 pixels, colour").waitFor();
    await page.getByRole("tab", { name: "GDN" }).click();
    await denoise(page);
    await page.getByText(/GDN, three rounds: Denoising: brightness/).waitFor();
    await button(page, "Cancel").click();
    await button(page, "Denoise").and(page.locator(":enabled")).waitFor();
    await page.getByRole("tab", { name: "Marginal" }).click();
    await denoise(page);
    await row(page, "Marginal").waitFor();
  });
});
