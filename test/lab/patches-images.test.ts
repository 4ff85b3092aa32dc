/** Models of whole images in the Patches panel. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filterMosaic } from "../../lab/compute/filter-mosaic.js";
import { imageFilters } from "../../lab/compute/image-filters.js";
import { extremesOf } from "../../lab/panels/patches/map-job.js";
import { decodeImage } from "../../node/decode-image.js";
import { openRunner } from "../../node/worker-threads.js";
import { imageResponses } from "../../src/density/images/image-responses.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { readingOf } from "../../src/density/model-files/model-reading.js";
import { cropToBlocks } from "../../src/evaluation/evaluate-whole-images.js";
import { likelihoodMap } from "../../src/evaluation/likelihood-map.js";
import { strongestPools } from "../../src/evaluation/pooling-falloff.js";
import { poolContributions } from "../../src/evaluation/pooling.js";
import { gainsOn, receptiveFields } from "../../src/evaluation/receptive-fields.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { imageAsRead } from "../../src/patches/image-reading.js";
import { startingConvolution } from "../../src/transforms/convolution.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import type { Gdn } from "../../src/transforms/gdn.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { runCommand } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";
import { imageModels } from "../support/image-models.js";
import {
  alert,
  button,
  expectAccessible,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
  screenshot,
} from "./in-lab.js";
import { canvasBehind, drop, file, greysOf, hashOfBitmap, writeBoats } from "./patches-pixels.js";

const folder = await temporaryFolder("lab-patches-images");
const boats = await writeBoats(folder);

/** Blocks of 4×4 pixels, filters of 12×8 pixels, two stages. */
const model = imageModels.linearLight;
const { transform } = model;
const path = join(folder, "whole.safetensors");
await writeFile(path, encodeModel(model));

/** Blocks, maps and filters of the paper's size, at the start of a fit. */
const large = file(
  "large.safetensors",
  encodeModel({
    transform: imageCascade({
      stride: 16,
      stages: [
        startingConvolution({ maps: 256, width: 3 }),
        startingGdn({ structure: "column", dimension: 256 }),
      ],
    }),
    about: { patch: { width: 16, height: 16, luminance: "linear", black: 0, white: 1 } },
  }),
);

launchBeforeTests();

let runner: TaskRunner;
beforeAll(async () => {
  runner = await openRunner({ workers: 0 });
});
afterAll(() => runner.close());

const tabs = (page: Page): Promise<string[]> => page.getByRole("tab").allInnerTexts();
const chosen = (page: Page, label: string): Promise<string> =>
  page.getByRole("combobox", { name: label }).locator("option:checked").innerText();
const numbersIn = (place: Locator): Promise<number[]> =>
  place
    .locator("data")
    .evaluateAll((all) => all.map((element) => Number((element as HTMLDataElement).value)));

describe("a model of whole images", { timeout: 2 * limitInMilliseconds }, () => {
  test("shows its filters, their pools and its second stage with the values of Node", async (context) => {
    // Whole images have no walk.
    const { page, complaints } = await openLab(context, "#patches?view=walk&filter=6");
    await drop(page, path);
    await drop(page, boats);
    await expect.poll(() => tabs(page)).toEqual(["Filters", "Samples", "Your picture"]);
    await expect
      .poll(() => page.locator(".lead").innerText())
      .toContain("A density of whole images: its filters of 12×12 pixels");
    const filters = (await imageFilters(model))!;
    const mosaic = filterMosaic(filters.onPixels, filters.order, { hasRoots: true });
    const canvas = canvasBehind(page, "Filters of whole.safetensors");
    await expect.poll(() => greysOf(canvas)).toEqual(hashOfBitmap(mosaic.bitmap));

    const image = await decodeImage(boats, "linear");
    const z = (await imageResponses(runner, transform, image))[1];
    const layer = transform.stages[2] as Gdn;
    const means = poolContributions(layer, z.values);
    const row = means.subarray(6 * 16, 7 * 16);
    const total = row.reduce((sum, value) => sum + value, layer.beta[6]);
    const shares = [6, ...strongestPools(means, 16, 6, 12)].map((j) => row[j] / total);
    const pool = page.getByRole("region", { name: "Filter 6", exact: true });
    await expect
      .poll(async () => (await numbersIn(pool.locator("table"))).filter((_, k) => k % 2 === 1))
      .toEqual(shares);
    await pool.getByText("averaged over locations of the picture").waitFor();
    await expectAccessible(page);
    await screenshot(page, "patches-images-filters");

    await page.getByLabel("Square roots").uncheck();
    const { bitmap } = filterMosaic(filters.onPixels, filters.order);
    await expect.poll(() => greysOf(canvas)).toEqual(hashOfBitmap(bitmap));
    await page.getByRole("combobox", { name: "Show" }).selectOption("second");
    const fields = await receptiveFields(transform, await gainsOn(runner, transform, image));
    const order = Array.from({ length: 16 }, (_, k) => k);
    const second = page.getByRole("img", { name: "Receptive fields of whole.safetensors" });
    await expect
      .poll(() => greysOf(second))
      .toEqual(hashOfBitmap(filterMosaic(fields, order).bitmap));
    await page.getByText("The 16 receptive fields of 20×12 pixels").waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("draws the picture of the command, for a seed and a temperature", async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#patches?view=samples&seed=5&temperature=0.8",
    );
    await drop(page, path);
    await drop(page, boats);
    const output = join(folder, "sample.png");
    const hashOfCommand = async (...words: readonly string[]) => {
      const ran = await runCommand("sample", path, ...words, "--workers", "0", "-o", output);
      expect(ran.code).toBe(0);
      const { data, info } = await sharp(output).raw().toBuffer({ resolveWithObject: true });
      const { width, height, channels } = info;
      const rgba = new Uint8ClampedArray(4 * width * height);
      for (let k = 0; k < width * height; k++) rgba.fill(data[k * channels], 4 * k, 4 * k + 4);
      return hashOfBitmap({ width, height, rgba });
    };
    const canvas = page.getByRole("img", { name: "Sample of whole.safetensors" });
    const drawn = await hashOfCommand("--seed", "5", "--temperature", "0.8");
    expect(drawn.slice(0, 2)).toEqual([256, 256]);
    await expect.poll(() => greysOf(canvas)).toEqual(drawn);
    await page.getByText("256×256 pixels, seed 5, temperature 0.80.").waitFor();
    await page.getByText("For comparison: 96×72 pixels").waitFor();
    await expectAccessible(page);
    await button(page, "Next seed").click();
    const next = await hashOfCommand("--seed", "6", "--temperature", "0.8");
    await expect.poll(() => greysOf(canvas)).toEqual(next);
    await screenshot(page, "patches-images-samples");
    expect(complaints).toEqual([]);
  });

  test("maps the shares of blocks, whose mean is that of the command", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture&part=whole");
    // Its fit added dequantisation noise to pictures.
    const noisy = join(folder, "noisy.safetensors");
    await writeFile(noisy, encodeModel(imageModels.images));
    await drop(page, noisy);
    // Not a whole number of blocks.
    const odd = join(folder, "odd.png");
    await sharp(boats).extract({ left: 0, top: 0, width: 95, height: 70 }).png().toFile(odd);
    await drop(page, odd);
    // The noise depends on the name of the file.
    const decoded = { ...(await decodeImage(odd, "grey")), source: "odd.png" };
    const whole = imageAsRead(decoded, readingOf(imageModels.images));
    const map = await likelihoodMap(runner, imageModels.images, cropToBlocks(whole, 4));
    const summary = page.locator(".summary");
    await expect.poll(() => numbersIn(summary)).toEqual([map.mean]);
    await page.getByText("92×68 pixels under noisy.safetensors").waitFor();
    const ran = await runCommand("evaluate", noisy, odd, "--json", "--workers", "0");
    const { natsPerPixel } = JSON.parse(ran.stdout) as { readonly natsPerPixel: number };
    expect(map.mean).toBeCloseTo(natsPerPixel, 12);

    const said = page.getByText(/^Block at/);
    const text = (place: number): string => {
      const [x, y] = [4 * (place % map.columns), 4 * Math.floor(place / map.columns)];
      const value = map.natsPerDimension[place].toFixed(2).replace("-", "−");
      return `Block at (${x}, ${y}): ${value} nats per pixel`;
    };
    // The panel shows 32×32 pixels around blocks, which must not overlap.
    const [least] = extremesOf({ ...map, size: 32 }, -1, 1);
    await expect.poll(() => said.innerText()).toBe(text(least));
    const places = page.getByRole("application", { name: /^The map/ });
    await places.focus();
    await page.keyboard.press("ArrowDown");
    const below = Math.min(least + map.columns, map.natsPerDimension.length - 1);
    await expect.poll(() => said.innerText()).toBe(text(below));
    await page
      .getByRole("listbox", { name: "Most likely blocks" })
      .getByRole("option")
      .first()
      .click();
    const [most] = extremesOf({ ...map, size: 32 }, 1, 1);
    await expect.poll(() => said.innerText()).toBe(text(most));
    expect(await page.getByLabel("A patch every").count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, "patches-images-map");
    expect(complaints).toEqual([]);
  });

  test("of the paper's size shows its progress, and can be cancelled", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture&part=whole");
    await drop(page, large);
    await page.getByRole("progressbar", { name: "Scoring blocks with large" }).waitFor();
    await page.getByText(/ of [\d,]+$/).waitFor();
    await button(page, "Cancel").click();
    const again = page.getByRole("button", { name: "Scoring blocks with large.safetensors" });
    await again.waitFor();
    // The next job does not wait for the cancelled one.
    await page.getByLabel("Region").selectOption("256");
    await page.getByText("256×256 pixels under large.safetensors").waitFor();
    await page.getByRole("tab", { name: "Samples" }).click();
    await page.getByText("A sample of large.safetensors: 256×256 pixels").waitFor();
    await page.getByRole("tab", { name: "Filters" }).click();
    const options = page.getByRole("listbox", { name: "Filters of large" }).getByRole("option");
    await expect.poll(() => options.count()).toBe(256);
    // One stage has no receptive fields to choose.
    expect(await page.getByRole("combobox", { name: "Show" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("gives way to a model of patches", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=samples");
    await drop(page, path);
    await page.getByRole("img", { name: "Sample of whole.safetensors" }).waitFor();
    await page.getByRole("combobox", { name: "Model" }).selectOption("rg");
    await page.getByRole("listbox", { name: "Samples of RG" }).waitFor();
    expect(await tabs(page)).toHaveLength(5);
    expect(complaints).toEqual([]);
  });

  test("fits a phone, dark, in every view", async (context) => {
    const viewport = { width: 360, height: 800 };
    const options = { colorScheme: "dark", viewport } as const;
    const { page } = await openLab(context, "#patches?part=256", options);
    await drop(page, path);
    for (const [tab, role, name] of [
      ["Filters", "listbox", "Filters of whole.safetensors"],
      ["Samples", "img", "Sample of whole.safetensors"],
      ["Your picture", "img", "Likelihood map"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole(role, { name }).waitFor();
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    }
    await expectAccessible(page);
    await screenshot(page, "patches-images-phone-dark");
  });
});

describe("bad input for models of whole images", { timeout: 2 * limitInMilliseconds }, () => {
  const small = (width: number, height: number): Promise<Buffer> =>
    sharp(boats).resize(width, height, { fit: "fill" }).png().toBuffer();

  test("a picture smaller than a filter is rejected, and changes nothing", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture");
    await drop(page, path);
    await drop(page, boats);
    await page.getByText("96×72 pixels under whole.safetensors").waitFor();
    await drop(page, file("small.png", await small(20, 10)));
    const sentence = "small.png is 20×10 pixels, smaller than the 12×12 filters of the model.";
    await alert(page, sentence).waitFor();
    await expect.poll(() => chosen(page, "Picture")).toBe("boats.png");
    await page.getByText("96×72 pixels under whole.safetensors").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a picture that is too small for the next model gets one sentence per view", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture");
    await drop(page, path);
    // The panel checks a picture against the model that is shown.
    await expect.poll(() => chosen(page, "Model")).toBe("whole.safetensors");
    await drop(page, file("small.png", await small(20, 14)));
    await page.getByText("20×12 pixels under whole.safetensors").waitFor();
    await drop(page, large);
    const sentence = "small.png is 20×14 pixels, smaller than the 48×48 filters of the model.";
    for (const tab of ["Your picture", "Filters", "Samples"]) {
      await page.getByRole("tab", { name: tab }).click();
      await alert(page, sentence).waitFor();
      await expect.poll(() => page.getByRole("alert").count()).toBe(1);
    }
    // The sample does not need the picture.
    await page.getByText("A sample of large.safetensors").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a model without filters, or that cannot be sampled, says so", async (context) => {
    const { page, complaints } = await openLab(context, "#patches");
    await drop(page, file("bare.safetensors", encodeModel(imageModels.bare)));
    await alert(page, "This model has no filters to show.").waitFor();
    await page.getByRole("tab", { name: "Samples" }).click();
    await page.getByRole("img", { name: "Sample of bare.safetensors" }).waitFor();
    await page.getByRole("tab", { name: "Your picture" }).click();
    await page.getByText("pixels under bare.safetensors").waitFor();
    await drop(page, file("bounded.safetensors", encodeModel(imageModels.bounded)));
    await page.getByRole("tab", { name: "Samples" }).click();
    await alert(page, "This model is not onto, so it cannot be sampled.").waitFor();
    await drop(page, file("singular.safetensors", encodeModel(imageModels.singular)));
    await alert(page, /loses the frequency/).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a model with too many maps is rejected with its size", async (context) => {
    const { page } = await openLab(context, "#patches");
    const stages = [startingGdn({ structure: "marginal", dimension: 33 ** 2 })];
    const huge = encodeModel({ transform: imageCascade({ stride: 33, stages }), about: {} });
    await drop(page, file("huge.safetensors", huge));
    await alert(page, "huge.safetensors has 1089 dimensions. The lab reads at most 1024").waitFor();
    await expect.poll(() => chosen(page, "Model")).toMatch(/^GDN/);
  });
});
