import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
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
import { temporaryFolder } from "../support/folders.js";
import {
  expectAccessible,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
  screenshot,
} from "./in-lab.js";
import {
  canvasBehind,
  drop,
  file,
  greysOf,
  hashOf,
  packaged,
  writeBoats,
} from "./patches-pixels.js";

const boats = await writeBoats(await temporaryFolder("lab-patches"));
const root = fileURLToPath(new URL("../../", import.meta.url));

launchBeforeTests();

let runner: TaskRunner;
beforeAll(async () => {
  runner = await openRunner({ workers: 0 });
});
afterAll(() => runner.close());

/** Returns the numbers in a part of the page, with all digits. */
const numbersIn = (place: Locator): Promise<number[]> =>
  place
    .locator("data")
    .evaluateAll((all) => all.map((element) => Number((element as HTMLDataElement).value)));

const samplesOf = async (count: number, seed: number): Promise<Float32Array> => {
  const image = await decodeImage(boats, "linear");
  return randomPatches(createRandom(seed, "lab patches"), [image], 16, count);
};

const hashIn = (page: Page): string => new URL(page.url()).hash;

/** For each view, the label of the next result while it is computed, and words of a result. */
const words: Readonly<Record<View, (title: string) => readonly [next: string, last: RegExp]>> = {
  filters: (title) => [`Loading the filters of ${title}`, RegExp(`^The 256 filters of ${title},`)],
  samples: (title) => [`Sampling from ${title}`, RegExp(`^36 samples of ${title},`)],
  walk: (title) => [`Walking between samples of ${title}`, RegExp(`of ${title}, in steps`)],
  histograms: (title) => ["Transforming patches", RegExp(`^${title}$`)],
  picture: (title) => [`Scoring patches with ${title}`, RegExp(` under ${title}:`)],
};

describe("the Patches panel", { timeout: 2 * limitInMilliseconds }, () => {
  test("filters and their pools have the numbers of Node, and are chosen by keys and click", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?filter=40");
    await drop(page, boats);
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
    // The brightness filter comes first.
    await page.getByText("brightness", { exact: true }).waitFor();
    expect(await list.getByRole("option").count()).toBe(256);
    await page.getByRole("listbox", { name: "Filters that normalise it" }).waitFor();
    await list.getByRole("option").nth(20).click();
    await expect.poll(() => hashIn(page)).toMatch(/filter=\d+$/);
    await page.getByRole("combobox", { name: "Model" }).selectOption("ica-mg");
    await page.getByText("by itself alone").waitFor();
    await page.getByRole("combobox", { name: "Model" }).selectOption("rg");
    await page.getByText("weights all filters equally").waitFor();
    await page.getByRole("combobox", { name: "Show" }).selectOption("basis");
    await page.getByRole("listbox", { name: "Basis functions of RG" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("samples and walks have the pixels of Node", async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#patches?view=samples&seed=5&temperature=0.9",
    );
    await drop(page, boats);
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
    // The last two chosen samples become the ends.
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
    const strip = canvasBehind(page, "Path from A to B");
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
    await page.getByRole("combobox", { name: "Path" }).selectOption("line");
    const line = (from: FloatArray, to: FloatArray, part: number): FloatArray =>
      from.map((value, k) => (1 - part) * value + part * to[k]);
    await expect.poll(() => greysOf(here)).toEqual(await way([0.25], line));
    await expectAccessible(page);
    await screenshot(page, "patches-walk");
    expect(complaints).toEqual([]);
  });

  test("the caption of samples counts clipped values", async (context) => {
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
    await drop(page, boats);
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
    await page.getByLabel("Compare all models").check();
    await table.getByRole("rowheader", { name: "RG" }).waitFor();
    await screenshot(page, "patches-histograms");
    expect(complaints).toEqual([]);
  });

  test("the map has the values of Node, by keys, by pointer and from the list", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture&stride=4");
    await drop(page, boats);
    const image = await decodeImage(boats, "linear");
    const map = await likelihoodMap(runner, await packaged("gdn"), image, { stride: 4 });
    await expect.poll(() => numbersIn(page.locator(".summary"))).toEqual([map.mean]);
    await page.getByText("patches in 96×72 pixels").waitFor();
    const said = page.getByText(/^Patch at/);
    const text = (place: number): string => {
      const [x, y] = [4 * (place % map.columns), 4 * Math.floor(place / map.columns)];
      const value = map.natsPerDimension[place].toFixed(2).replace("-", "−");
      return `Patch at (${x}, ${y}): ${value} nats per pixel`;
    };
    const [least] = extremesOf(map, -1, 1);
    expect(await said.innerText()).toBe(text(least));
    const places = page.getByRole("application", { name: /^The map/ });
    // The pointer is in the middle, and so is the patch.
    await places.hover();
    const middle = 7 * map.columns + 10;
    await expect.poll(() => said.innerText()).toBe(text(middle));
    await places.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    expect(await said.innerText()).toBe(text(middle + 1 - map.columns));
    await page
      .getByRole("listbox", { name: "Most likely patches" })
      .getByRole("option")
      .first()
      .click();
    await expect.poll(() => said.innerText()).toBe(text(extremesOf(map, 1, 1)[0]));
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("a long map shows its progress, and can be cancelled and restarted", async (context) => {
    const { page } = await openLab(context, "#patches?view=picture&part=whole&stride=2");
    await page.getByText(/of 203,010/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    const again = page.getByRole("button", { name: "Scoring patches with GDN" });
    await again.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    // The next map does not wait for the cancelled one.
    await page.getByLabel("A patch every").selectOption("16");
    await page.getByLabel("Region").selectOption("256");
    await page.getByText("Mean log-density of 256 patches").waitFor();
    await screenshot(page, "patches-map");
  });

  test.for(views)(
    "%s: the result of the model before stays, dimmed, until the next one is ready",
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
      // The drawing code loads with the first chart; the output has its size only then.
      if (view === "histograms") await output("GDN").locator(".chart-svg").last().waitFor();
      const [, size] = await look("GDN");
      const held = new Promise<Route>((resolve) => {
        void page.route(/kodak16-rg.*\.safetensors/, resolve);
      });
      await page.getByRole("combobox", { name: "Model" }).selectOption("rg");
      const name = words[view]("RG")[0];
      const progress = output("GDN").getByRole("progressbar", { name });
      await progress.waitFor();
      // The progress and the dimming have timers of their own.
      await expect.poll(() => look("GDN")).toEqual(["0.5", size, "true"]);
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

  /** Opens each view. `name` is the model's own name, `title` that of its file. */
  async function openEachView(
    page: Page,
    name: string,
    title: string,
    visit?: () => Promise<void>,
  ) {
    for (const [tab, role, result] of [
      ["Filters", "listbox", `Filters of ${title}`],
      ["Samples", "listbox", `Samples of ${title}`],
      ["Walk", "listbox", "Path from A to B"],
      ["Histograms", "img", RegExp(`lengths of y. ${name}: .* nats from`)],
      ["Your picture", "img", "Likelihood map"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole(role, { name: result }).waitFor();
      await visit?.();
    }
  }

  test("a dropped model is shown in every view", async (context) => {
    const { page, complaints } = await openLab(context, "#patches");
    const H = createRandom(3, "own").normalFill(new Float32Array(15 * 15));
    const own: Model = {
      transform: startingGdn({ structure: "column", dimension: 15, H }),
      about: { name: "Own", patch: { width: 4, height: 4, removeMean: true } },
    };
    await drop(page, file("own.safetensors", encodeModel(own)));
    await page.getByRole("region", { name: /^Filter \d+$/ }).waitFor();
    await openEachView(page, "Own", "own.safetensors");
    expect(complaints).toEqual([]);
  });

  test("a picture smaller than the patches of another model is reported", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?view=picture");
    const own: Model = {
      transform: startingGdn({ structure: "column", dimension: 16 }),
      about: { patch: { width: 4, height: 4 } },
    };
    await drop(page, file("own.safetensors", encodeModel(own)));
    await page.getByText("under own.safetensors").waitFor();
    await drop(page, file("tiny.png", await sharp(boats).resize(9, 9).png().toBuffer()));
    await page.getByText("in 9×9 pixels").waitFor();
    await page.getByRole("combobox", { name: "Model" }).selectOption("gdn");
    await page.getByRole("alert").filter({ hasText: "at least 16×16 pixels" }).waitFor();
    await drop(page, boats);
    await page.getByText("in 96×72 pixels under GDN").waitFor();
    expect(complaints).toEqual([]);
  });

  test("fits a phone, dark, in every view", async (context) => {
    const viewport = { width: 360, height: 800 };
    const options = { colorScheme: "dark", viewport } as const;
    const { page } = await openLab(context, "#patches?part=256&stride=16", options);
    await openEachView(page, "GDN", "GDN", async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    });
    await expectAccessible(page);
    await screenshot(page, "patches-phone-dark");
  });
});

test("the models of the package have the structures that the page describes", async () => {
  const { files } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  expect(files).toContain("models");
  const structures = await Promise.all(
    modelNames.map(async (name) => layerOf(await packaged(name)).structure),
  );
  expect(structures).toEqual(["column", "marginal", "radial"]);
});
