import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { openRunner } from "../../node/worker-threads.js";
import { betweenDraws } from "../../src/density/between-draws.js";
import { gaussianize } from "../../src/density/induced-density.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import type { Model } from "../../src/density/model-files/model.js";
import { normalVectors, sample, sampleAt } from "../../src/density/synthesis.js";
import { componentGaussianity, lengthGaussianity } from "../../src/evaluation/gaussianity.js";
import { likelihoodMap } from "../../src/evaluation/likelihood-map.js";
import { strongestPools } from "../../src/evaluation/pooling-falloff.js";
import { layerOf, modelContributions } from "../../src/evaluation/pooling.js";
import { sampleMosaic } from "../../src/figures/sample-mosaic.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import { createRandom } from "../../src/random/random-stream.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { spreadOverEntries } from "../../src/transforms/gdn-structures.js";
import { extremesOf } from "../../lab/panels/patches/map-job.js";
import {
  type View,
  histogramPatches,
  modelNames,
  views,
} from "../../lab/panels/patches/settings.js";
import { smallCascade } from "../support/image-models.js";
import { temporaryFolder } from "../support/folders.js";
import {
  expectAccessible,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
  screenshot,
} from "./in-lab.js";
import { canvasBehind, greysOf, hashOf, packaged } from "./patches-pixels.js";

const folder = await temporaryFolder("lab-patches");
const path = (name: string): string => join(folder, name);
const root = fileURLToPath(new URL("../../", import.meta.url));

const photograph = embeddedPhotographs().find(({ name }) => name === "nagasaki-boats")!;
/** Colours, not square; PNG, since JPEG decoders may differ. */
await sharp(photograph.path)
  .extract({ left: 420, top: 360, width: 96, height: 72 })
  .removeAlpha()
  .png()
  .toFile(path("boats.png"));
await sharp(path("boats.png")).resize(9, 9).png().toFile(path("tiny.png"));

launchBeforeTests();

let runner: TaskRunner;
beforeAll(async () => {
  runner = await openRunner({ workers: 0 });
});
afterAll(() => runner.close());

const drop = (page: Page, files: Parameters<Locator["setInputFiles"]>[0]): Promise<void> =>
  page.locator(".drop input").setInputFiles(files);

/** All digits of the numbers in a part of the page. */
const numbersIn = (place: Locator): Promise<number[]> =>
  place
    .locator("data")
    .evaluateAll((all) => all.map((element) => Number((element as HTMLDataElement).value)));

const samplesOf = async (count: number, seed: number): Promise<Float32Array> => {
  const image = await decodeImage(path("boats.png"), "linear");
  return randomPatches(createRandom(seed, "lab patches"), [image], 16, count);
};

const hashIn = (page: Page): string => new URL(page.url()).hash;

/** By view: what the next result is called while it is awaited, and words of the last one. */
const words: Readonly<Record<View, (title: string) => readonly [next: string, last: RegExp]>> = {
  filters: (title) => [
    `Looking at the filters of ${title}`,
    RegExp(`^The 256 filters of ${title},`),
  ],
  samples: (title) => [`Drawing from ${title}`, RegExp(`^36 draws from ${title},`)],
  walk: (title) => [`Walking between samples of ${title}`, RegExp(`of ${title}, in steps`)],
  histograms: (title) => ["Transforming patches", RegExp(`^${title}$`)],
  picture: (title) => [`Scoring patches with ${title}`, RegExp(` under ${title}:`)],
};

describe("the Patches panel", { timeout: 2 * limitInMilliseconds }, () => {
  test("filters: what normalises each, with the bits of Node, chosen by keys and by click", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?filter=40");
    await drop(page, path("boats.png"));
    const pool = page.getByRole("region", { name: "Filter 40" });
    await pool.waitFor();
    const model = await packaged("gdn");
    const { alpha, beta, epsilon } = spreadOverEntries(layerOf(model));
    await expect
      .poll(() => numbersIn(pool.locator(".parameters")))
      .toEqual([alpha[40], beta[40], epsilon[40]]);
    const means = await modelContributions(runner, model, await samplesOf(1000, 1));
    const row = means.subarray(40 * 256, 41 * 256);
    const total = row.reduce((sum, value) => sum + value, beta[40]);
    const strongest = strongestPools(means, 256, 40, 12);
    const shares = [40, ...strongest].map((j) => row[j] / total);
    await expect
      .poll(async () => (await numbersIn(pool.locator("table"))).filter((_, k) => k % 2 === 1))
      .toEqual(shares);
    await expectAccessible(page);
    await screenshot(page, "patches-filters");

    const list = page.getByRole("listbox", { name: "Filters of GDN" });
    await list.focus();
    await page.keyboard.press("Home");
    // The filter of brightness is the first.
    await page.getByText("brightness", { exact: true }).waitFor();
    expect(await list.getByRole("option").count()).toBe(256);
    await page.getByRole("listbox", { name: "Filters that normalise it" }).waitFor();
    await list.getByRole("option").nth(20).click();
    await expect.poll(() => hashIn(page)).toMatch(/filter=\d+$/);
    await page.getByRole("combobox", { name: "Model of patches" }).selectOption("ica-mg");
    await page.getByText("by itself alone").waitFor();
    await page.getByRole("combobox", { name: "Model of patches" }).selectOption("rg");
    await page.getByText("weighs all filters alike").waitFor();
    await page.getByLabel("Shown as").selectOption("basis");
    await page.getByRole("listbox", { name: "Basis of RG" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("samples and walks have the pixels of Node", async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#patches?view=samples&seed=5&temperature=0.9",
    );
    await drop(page, path("boats.png"));
    const model = await packaged("gdn");
    const { transform } = model;
    const terms = { temperature: 0.9 };
    const canvas = canvasBehind(page, "Samples of GDN");
    await canvas.waitFor();
    const drawn = await sample(runner, transform, 36, 5, terms);
    expect(await greysOf(canvas)).toEqual(hashOf(sampleMosaic(drawn, model)));
    const cut = sampleMosaic(await samplesOf(36, 5), model);
    const real = page.getByRole("img", { name: "Patches of the picture" });
    await expect.poll(() => greysOf(real)).toEqual(hashOf(cut));
    await page.getByRole("option", { name: "Sample 4", exact: true }).click();
    const list = page.getByRole("listbox", { name: "Samples of GDN" });
    // The last two that were chosen are the ends; keys are for what is shown.
    await expect.poll(() => hashIn(page)).toMatch(/&to=3$/);
    await list.focus();
    const active = (): Promise<string | null> => list.getAttribute("aria-activedescendant");
    const before = await active();
    await page.keyboard.press("ArrowDown");
    await expect.poll(active).not.toBe(before);
    await page.keyboard.press("Enter");
    await expect
      .poll(() => hashIn(page))
      .toBe("#patches?view=samples&seed=5&temperature=0.9&from=3&to=9");
    await expectAccessible(page);
    await screenshot(page, "patches-samples");

    await page.getByRole("button", { name: "Walk from A to B" }).click();
    const strip = canvasBehind(page, "The way from A to B");
    await strip.waitFor();
    const y = normalVectors(runner, transform, 36, 5, terms);
    const [a, b] = [y.subarray(3 * 256, 4 * 256), y.subarray(9 * 256, 10 * 256)];
    const way = async (parts: readonly number[], between: typeof betweenDraws) => {
      const all = new Float32Array(parts.length * 256);
      parts.forEach((part, k) => {
        all.set(between(a, b, part), k * 256);
      });
      const x = await sampleAt(runner, transform, all);
      return hashOf(sampleMosaic(x, model, { columns: parts.length }));
    };
    const eighths = Array.from({ length: 9 }, (_, k) => k / 8);
    expect(await greysOf(strip)).toEqual(await way(eighths, betweenDraws));
    await page.getByRole("option", { name: "25 %" }).click();
    const here = page.getByRole("img", { name: "The patch at 25.0 %" });
    await expect.poll(() => greysOf(here)).toEqual(await way([0.25], betweenDraws));
    await page.getByLabel("Path").selectOption("line");
    const line = (from: FloatArray, to: FloatArray, part: number): FloatArray =>
      from.map((value, k) => (1 - part) * value + part * to[k]);
    await expect.poll(() => greysOf(here)).toEqual(await way([0.25], line));
    await expectAccessible(page);
    await screenshot(page, "patches-walk");
    expect(complaints).toEqual([]);
  });

  test("samples say how many of their values are clipped", async (context) => {
    const { page } = await openLab(context, "#patches?view=samples");
    const model = await packaged("gdn");
    const { black = NaN, white = NaN } = model.about.patch ?? {};
    const drawn = await sample(runner, model.transform, 36, 1);
    const beyond = drawn.filter((value) => value < black || value > white).length;
    expect(beyond).toBeGreaterThan(0);
    await page.getByText(`. ${beyond} of 9,216 values (`).waitFor();
  });

  test("histograms have the distances of Node", async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#patches?view=histograms&model=ica-mg&seed=2",
    );
    await drop(page, path("boats.png"));
    const { transform } = await packaged("ica-mg");
    const { y } = await gaussianize(runner, transform, await samplesOf(histogramPatches, 2));
    const [components, lengths] = [componentGaussianity(y, 256), lengthGaussianity(y, 256)];
    const table = page.getByRole("region", { name: "Distances from normal" });
    await expect
      .poll(() => numbersIn(table))
      .toEqual([
        components.divergence,
        components.excessKurtosis,
        lengths.divergence,
        lengths.kolmogorovSmirnov,
      ]);
    await page.getByRole("img", { name: /ICA-MG: .* nats from the χ distribution/ }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("All models together").check();
    await page.getByRole("rowheader", { name: "RG" }).waitFor();
    await screenshot(page, "patches-histograms");
    expect(complaints).toEqual([]);
  });

  test("the map has the values of Node, by keys, by pointer and from the list", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture&stride=4");
    await drop(page, path("boats.png"));
    const image = await decodeImage(path("boats.png"), "linear");
    const map = await likelihoodMap(runner, await packaged("gdn"), image, { stride: 4 });
    await expect.poll(() => numbersIn(page.locator(".summary"))).toEqual([map.mean]);
    await page.getByText("patches of 96×72 pixels").waitFor();
    const said = page.getByText(/^Patch at/);
    const text = (place: number): string => {
      const [x, y] = [4 * (place % map.columns), 4 * Math.floor(place / map.columns)];
      const value = map.natsPerDimension[place].toFixed(2).replace("-", "−");
      return `Patch at (${x}, ${y}): ${value} nats per pixel`;
    };
    const [least] = extremesOf(map, -1, 1);
    expect(await said.innerText()).toBe(text(least));
    const places = page.getByRole("application", { name: /^The map/ });
    // The middle of the picture is that of the patch in the middle.
    await places.hover();
    const middle = 7 * map.columns + 10;
    await expect.poll(() => said.innerText()).toBe(text(middle));
    await places.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    expect(await said.innerText()).toBe(text(middle + 1 - map.columns));
    await page
      .getByRole("listbox", { name: "Likeliest patches" })
      .getByRole("option")
      .first()
      .click();
    await expect.poll(() => said.innerText()).toBe(text(extremesOf(map, 1, 1)[0]));
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("a long map says how far it is, and can be cancelled and begun again", async (context) => {
    const { page } = await openLab(context, "#patches?view=picture&part=whole&stride=2");
    await page.getByText(/of 203,010/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    const again = page.getByRole("button", { name: "Scoring patches with GDN" });
    await again.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    // It is of no use any more: another one is not behind it.
    await page.getByLabel("A patch every").selectOption("16");
    await page.getByLabel("Part").selectOption("256");
    await page.getByText("Mean log-density of 256 patches").waitFor();
    await screenshot(page, "patches-map");
  });

  test.for(views)(
    "%s: what is of an earlier model goes by its name, dimmed, until that of the next is there",
    async (view, context) => {
      const { page, complaints } = await openLab(context, `#patches?view=${view}&part=256`);
      const output = (title: string): Locator =>
        page.locator(".job-output").filter({ has: page.getByText(words[view](title)[1]) });
      const look = (title: string): Promise<readonly (string | null)[]> =>
        output(title).evaluate((element) => {
          const { opacity } = getComputedStyle(element.querySelector(".given")!);
          const { width, height } = element.getBoundingClientRect();
          return [opacity, `${width}×${height}`, element.ariaBusy];
        });
      await expect.poll(async () => (await look("GDN"))[2]).toBe("false");
      // The code of charts is loaded with the first chart: only then does the output have its size.
      if (view === "histograms") await output("GDN").locator(".chart img").last().waitFor();
      const [, size] = await look("GDN");
      const held = new Promise<Route>((resolve) => {
        void page.route(/kodak16-rg.*\.safetensors/, resolve);
      });
      await page.getByRole("combobox", { name: "Model of patches" }).selectOption("rg");
      const name = words[view]("RG")[0];
      const progress = output("GDN").getByRole("progressbar", { name });
      await progress.waitFor();
      expect(await look("GDN")).toEqual(["0.5", size, "true"]);
      await output("GDN").getByRole("button", { name: "Cancel" }).click();
      const again = output("GDN").getByRole("button", { name });
      await again.waitFor();
      expect(await look("GDN")).toEqual(["0.5", size, "false"]);
      await again.click();
      await progress.waitFor();
      expect(await output("RG").count()).toBe(0);
      await (await held).continue();
      await output("RG").waitFor();
      expect(await look("RG")).toEqual(["1", expect.any(String), "false"]);
      expect(await output("GDN").count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );

  test("models of one's own are shown in every view, others refused in a sentence", async (context) => {
    const { page, complaints } = await openLab(context, "#patches");
    const file = (name: string, buffer: Uint8Array) => ({
      name,
      mimeType: "application/octet-stream",
      buffer: Buffer.from(buffer),
    });
    const H = createRandom(3, "own").normalFill(new Float32Array(15 * 15));
    const own: Model = {
      transform: startingGdn({ structure: "column", dimension: 15, H }),
      about: { name: "Own", patch: { width: 4, height: 4, removeMean: true } },
    };
    await drop(page, file("own.safetensors", encodeModel(own)));
    await page.getByRole("listbox", { name: "Filters of own.safetensors" }).waitFor();
    await page.getByRole("region", { name: /^Filter \d+$/ }).waitFor();
    await drop(page, file("notes.txt", Buffer.from("words")));
    await page
      .getByRole("alert")
      .filter({ hasText: "notes.txt is neither a picture nor a model; expected a picture" })
      .waitFor();
    expect(await page.getByRole("listbox", { name: "Filters of own.safetensors" }).count()).toBe(1);
    await page.getByRole("button", { name: "Close this message" }).click();
    for (const [tab, role, name] of [
      ["Samples", "listbox", "Samples of own.safetensors"],
      ["Walk", "listbox", "The way from A to B"],
      ["Histograms", "img", /Own: .* nats from the χ distribution/],
      ["Your picture", "img", "Likelihood map"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole(role, { name }).waitFor();
    }
    await drop(page, path("tiny.png"));
    await page.getByText("Mean log-density").waitFor();
    await page.getByRole("combobox", { name: "Model of patches" }).selectOption("gdn");
    const alert = page.getByRole("alert").first();
    await expect.poll(() => alert.innerText()).toContain("at least 16×16 pixels");
    await drop(page, file("x.png", new TextEncoder().encode("no picture")));
    await expect.poll(() => alert.innerText()).toContain("Cannot read x.png");
    const whole = await readFile(path("boats.png"));
    const huge = Buffer.from(whole);
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    await drop(page, file("huge.png", huge));
    await expect.poll(() => alert.innerText()).toContain("60000×60000 pixels");
    await drop(page, path("boats.png"));
    await page.getByText("patches of 96×72 pixels").waitFor();

    const bytes = await readFile(join(root, "models/kodak16-rg.safetensors"));
    await drop(page, file("cut.safetensors", bytes.subarray(0, 5000)));
    await expect.poll(() => alert.innerText()).toContain("cut.safetensors");
    const about = { patch: { width: 2, height: 2 } };
    const ofImages = encodeModel({ transform: smallCascade, about });
    await drop(page, file("whole.safetensors", ofImages));
    await expect.poll(() => alert.innerText()).toContain("it is one of whole images");
    await page.getByRole("combobox", { name: "Model of patches" }).selectOption("rg");
    await page.getByText("pixels under RG").waitFor();
    expect(complaints).toEqual([]);
  });

  test("fits a phone, dark, in every view", async (context) => {
    const viewport = { width: 360, height: 800 };
    const options = { colorScheme: "dark", viewport } as const;
    const { page } = await openLab(context, "#patches?part=256&stride=16", options);
    for (const [tab, role, name] of [
      ["Filters", "listbox", "Filters of GDN"],
      ["Samples", "listbox", "Samples of GDN"],
      ["Walk", "listbox", "The way from A to B"],
      ["Histograms", "img", /Histogram of lengths/],
      ["Your picture", "img", "Likelihood map"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole(role, { name }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    }
    await expectAccessible(page);
    await screenshot(page, "patches-phone-dark");
  });
});

test("the models of the package are what the page says", async () => {
  const { files } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  expect(files).toContain("models");
  const structures = await Promise.all(
    modelNames.map(async (name) => layerOf(await packaged(name)).structure),
  );
  expect(structures).toEqual(["column", "marginal", "radial"]);
});
