/** Files dropped on the Patches panel. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { openRunner } from "../../node/worker-threads.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import type { Model } from "../../src/density/model-files/model.js";
import { strongestPools } from "../../src/evaluation/pooling-falloff.js";
import { layerOf, modelContributions } from "../../src/evaluation/pooling.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import { createRandom } from "../../src/random/random-stream.js";
import { encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { pooledWeights } from "../../src/transforms/gdn-structures.js";
import { filterPicture } from "../../lab/compute/filter-mosaic.js";
import { temporaryFolder } from "../support/folders.js";
import { expectAccessible, launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";
import {
  canvasBehind,
  drop,
  file,
  greysOf,
  hashOfBitmap,
  packaged,
  writeBoats,
} from "./patches-pixels.js";

const boats = await writeBoats(await temporaryFolder("lab-patches-files"));

/** 8×8 patches, γ = diag(g) + U Vᵀ. */
const dimension = 64;
const rank = 5;
const lowRank: Model = {
  transform: startingGdn({
    structure: "low-rank",
    dimension,
    rank,
    H: createRandom(3, "own").normalFill(new Float32Array(dimension ** 2)),
  }),
  about: { name: "Low", patch: { width: 8, height: 8, luminance: "linear" } },
};

launchBeforeTests();

const choice = (page: Page, name: string): Locator => page.getByRole("combobox", { name });
const chosen = (page: Page, label: string): Promise<string> =>
  choice(page, label).locator("option:checked").innerText();
const pool = (page: Page, filter: number): Locator =>
  page.getByRole("region", { name: `Filter ${filter}`, exact: true });

/** Returns the rows of H in the names of options. */
const filtersIn = (options: Locator): Promise<number[]> =>
  options.evaluateAll((all) =>
    all.map((option) => Number(/\d+/.exec(option.ariaLabel ?? "")?.[0])),
  );

function checkpoint(): Uint8Array {
  return encodeCheckpoint({
    transform: startingGdn({ structure: "column", dimension }),
    optimiser: { name: "sgd", steps: 0, moments: [] },
    gradientLength: 0,
    step: 3,
    damping: 1,
    rejectedSteps: 0,
    history: [],
    best: null,
  });
}

/** Returns γ from g and the columns of U and V. */
function writtenOut(parts: ArrayLike<number>): Float64Array {
  const part = (k: number, i: number): number => parts[k * dimension + i];
  return Float64Array.from({ length: dimension ** 2 }, (_, k) => {
    const [i, j] = [Math.floor(k / dimension), k % dimension];
    let sum = 0;
    for (let r = 0; r < rank; r++) sum += part(1 + r, i) * part(1 + rank + r, j);
    return i === j ? sum + part(0, i) : sum;
  });
}

/** Files that the panel rejects, each with a part of its message. */
async function uselessFiles() {
  const whole = await readFile(boats);
  const huge = Buffer.from(whole);
  huge.writeUInt32BE(60_000, 16);
  huge.writeUInt32BE(60_000, 20);
  const tiny = await sharp(boats).resize(7, 9).png().toBuffer();
  const model = encodeModel(lowRank);
  return [
    [file("cut.png", whole.subarray(0, whole.length / 2)), "Cannot read cut.png"],
    [file("huge.png", huge), "huge.png: it has 60000×60000 pixels"],
    [file("tiny.png", tiny), "tiny.png is 7×9 pixels"],
    [file("text.png", Buffer.from("no picture")), "Cannot read text.png"],
    [file("cut.safetensors", model.subarray(0, model.length / 2)), "cut.safetensors"],
    [
      file("checkpoint.safetensors", checkpoint()),
      "checkpoint.safetensors is a checkpoint, not a model. Drop it on Train",
    ],
    [file("notes.txt", Buffer.from("notes")), "notes.txt is neither a picture nor a model"],
  ] as const;
}

describe("files dropped on Patches", { timeout: 2 * limitInMilliseconds }, () => {
  test("that cannot be used are reported and change nothing", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?filter=0");
    await drop(page, file("own.safetensors", encodeModel(lowRank)));
    await drop(page, boats);
    await expect.poll(() => chosen(page, "Picture")).toBe("boats.png");
    await pool(page, 0).waitFor();
    const filters = page.getByRole("listbox", { name: "Filters of own.safetensors" });
    for (const [k, [useless, phrase]] of (await uselessFiles()).entries()) {
      await drop(page, useless);
      await expect.poll(() => page.getByRole("alert").allInnerTexts()).toHaveLength(1);
      await expect.poll(() => page.getByRole("alert").innerText()).toContain(phrase);
      expect(await chosen(page, "Model")).toBe("own.safetensors");
      expect(await chosen(page, "Picture")).toBe("boats.png");
      // The model before still responds.
      await filters.getByRole("option", { name: `Filter ${k + 1}:` }).click();
      await pool(page, k + 1).waitFor();
      if (k === 0) await expectAccessible(page);
    }
    await page.getByRole("button", { name: "Close this message" }).click();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("a model with fewer filters replaces one whose pool is shown", async (context) => {
    // The pool of GDN has filters that the smaller model does not have.
    const { page, complaints } = await openLab(context, "#patches?filter=40");
    await page.getByRole("listbox", { name: "Filters that normalise it" }).waitFor();
    const member = page.getByRole("option", { name: /^Filter \d+, .* of the divisor/ });
    expect(Math.max(...(await filtersIn(member)))).toBeGreaterThanOrEqual(dimension);
    await drop(page, file("own.safetensors", encodeModel(lowRank)));
    const own = canvasBehind(page, "Filters of own.safetensors");
    expect(await greysOf(own)).toEqual(hashOfBitmap(filterPicture(lowRank)!));
    const small = (filter: number): boolean => filter < dimension;
    await expect.poll(async () => (await filtersIn(member)).filter(small)).toHaveLength(12);
    expect(await page.getByRole("option", { name: /^Filter \d+: / }).count()).toBe(dimension);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("a choice made while a file is opened wins", async (context) => {
    const { page } = await openLab(context, "#patches");
    await page.getByRole("listbox", { name: "Filters of GDN" }).waitFor();
    const rg = hashOfBitmap(filterPicture(await packaged("rg"))!);
    const label = page.locator("label.drop");
    await label.evaluate(
      (box, bytes) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([Uint8Array.from(bytes)], "own.safetensors"));
        box.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        const select = document.querySelector<HTMLSelectElement>(".controls select")!;
        select.value = "rg";
        select.dispatchEvent(new Event("change", { bubbles: true }));
      },
      Array.from(encodeModel(lowRank)),
    );
    expect(await greysOf(canvasBehind(page, "Filters of RG"))).toEqual(rg);
    await page.getByText("Opening own.safetensors …").waitFor({ state: "detached" });
    expect(await chosen(page, "Model")).toMatch(/^RG/);
  });

  test("the page names the patch size of the model, and equations have spoken names", async (context) => {
    const { page } = await openLab(context, "#patches");
    const lead = page.locator(".lead");
    expect(await lead.innerText()).toContain("Densities of 16×16 patches");
    await page.getByText("A patch x of 16×16 pixels is a point in 256 dimensions.").waitFor();
    await drop(page, file("own.safetensors", encodeModel(lowRank)));
    await expect.poll(() => lead.innerText()).toContain("Densities of 8×8 patches");
    await page.getByText("A patch x of 8×8 pixels is a point in 64 dimensions.").waitFor();
    await choice(page, "Model").selectOption("rg");
    await expect.poll(() => lead.innerText()).toContain("Densities of 16×16 patches");
    const names = await page
      .locator("math")
      .evaluateAll((all) => all.map((element) => element.getAttribute("aria-label")));
    expect(names).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
  });

  test("a low-rank model normalises with all of γ, with the same bits as in Node", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?filter=9");
    await drop(page, file("own.safetensors", encodeModel(lowRank)));
    await page.getByRole("listbox", { name: "Filters of own.safetensors" }).waitFor();
    await drop(page, boats);
    const image = await decodeImage(boats, "linear");
    const x = randomPatches(createRandom(1, "lab patches"), [image], 8, 1000);
    const runner = await openRunner({ workers: 0 });
    context.onTestFinished(() => runner.close());
    const means = await modelContributions(runner, lowRank, x);
    const layer = layerOf(lowRank);
    const gamma = pooledWeights(layer);
    expect(gamma).toEqual(writtenOut(layer.gamma));
    const row = means.subarray(9 * dimension, 10 * dimension);
    const total = row.reduce((sum, value) => sum + value, layer.beta[9]);
    const members = [9, ...strongestPools(means, dimension, 9, 12)];
    // The diagonal alone would give no other members.
    expect(members).toHaveLength(13);
    await expect
      .poll(() =>
        pool(page, 9)
          .locator("table data")
          .evaluateAll((all) => all.map((data) => Number((data as HTMLDataElement).value))),
      )
      .toEqual(members.flatMap((j) => [gamma[9 * dimension + j], row[j] / total]));
    expect(complaints).toEqual([]);
  });
});
