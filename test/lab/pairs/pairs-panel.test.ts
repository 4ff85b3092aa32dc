import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fitPairsWith } from "../../../lab/panels/pairs/fit-pairs-job.js";
import { csvPairs } from "../../../lab/panels/pairs/csv-pairs.js";
import type { PairSource } from "../../../lab/panels/pairs/pair-source.js";
import type { PairModelName } from "../../../lab/panels/pairs/pair-models.js";
import { decodePixels, encodedPicture, encodedScene, openRunner } from "./node-parts.js";
import { contentsOf, expectAccessible, launchBeforeTests, openLab } from "../in-lab.js";

/** Fits share two cores with others. */
const timeout = 180_000;
const steps = 20;

launchBeforeTests();

/** What the page computes, by the same function in Node. */
async function inNode(source: PairSource, model: PairModelName) {
  const runner = await openRunner({ workers: 0 });
  return fitPairsWith(
    decodePixels,
    { source, model, steps, seed: "3" },
    {
      runner,
      signal: new AbortController().signal,
      report: () => undefined,
      whileHeld: () => Promise.resolve(),
    },
  );
}

async function fitAndSave(page: Page, title: string): Promise<Buffer> {
  const card = page.getByRole("region", { name: title, exact: true });
  await card.getByRole("button", { name: `Fit ${title}` }).click();
  const save = card.getByRole("button", { name: /as a model file/, disabled: false });
  await save.waitFor({ timeout });
  const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
  return contentsOf(download);
}

describe("the panel Pairs", () => {
  test("fits have the bits of Node's, and the table its numbers", { timeout }, async (context) => {
    const hash = `#pairs?data=elliptical&pairs=5000&models=rg+gdn&steps=${steps}&seed=3`;
    const { page, complaints } = await openLab(context, hash);
    const file = await fitAndSave(page, "GDN");
    const expected = await inNode({ kind: "elliptical", count: 5000, seed: "3" }, "gdn");
    expect(Buffer.compare(file, Buffer.from(expected.modelFile))).toBe(0);
    const row = page.getByRole("row", { name: /^GDN/ });
    expect((await row.innerText()).replaceAll("−", "-")).toContain(
      expected.negentropyInNats.toFixed(4),
    );
    // The curves name their ends for those who cannot see them.
    await page.getByRole("img", { name: /^ΔJ \(nats\) over the steps, at last: GDN −/ }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("a dropped picture gives pairs of its coefficients", { timeout }, async (context) => {
    const hash = `#pairs?data=curved&models=ica-mg&steps=${steps}&seed=3&pairs=5000&separation=4`;
    const { page, complaints } = await openLab(context, hash);
    const png = encodedScene();
    await page.getByLabel("Drop a picture or").setInputFiles({
      name: "scene.png",
      mimeType: "image/png",
      buffer: Buffer.from(png),
    });
    await page.getByText("in 120×90 pixels").waitFor({ timeout });
    const file = await fitAndSave(page, "ICA-MG");
    const picture = { key: "scene", file: new File([png], "scene.png") };
    const place = { orientation: 0, separation: 4, count: 5000, seed: "3" };
    const expected = await inNode({ kind: "wavelets", picture, ...place }, "ica-mg");
    expect(Buffer.compare(file, Buffer.from(expected.modelFile))).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("fits can be held and cancelled", { timeout }, async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#pairs?data=curved&pairs=5000&steps=5000&models=gdn",
    );
    await page.getByRole("button", { name: "Fit GDN" }).first().click();
    await page.getByText(/^step [1-9]\d* of 5000$/).waitFor({ timeout });
    await page.getByRole("button", { name: "Pause" }).click();
    const step = page.getByText(/^step \d+ of 5000$/);
    // What was under way may still come, however busy the machine is; then nothing does.
    let held = "";
    const isStill = async (): Promise<boolean> => {
      held = await step.innerText();
      await page.waitForTimeout(500);
      return (await step.innerText()) === held;
    };
    await expect.poll(isStill).toBe(true);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText(held, { exact: true }).waitFor({ state: "detached", timeout });
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText(/^cancelled at step \d+$/).waitFor({ timeout });
    expect(complaints).toEqual([]);
  });

  test(
    "wrong files are answered by a sentence, and a right one shown",
    { timeout },
    async (context) => {
      const { page, complaints } = await openLab(context, "#pairs?data=csv", {
        viewport: { width: 360, height: 800 },
        colorScheme: "dark",
        reducedMotion: "reduce",
      });
      const drop = async (name: string, text: string): Promise<void> => {
        await page.getByLabel("CSV file with two columns").setInputFiles({
          name,
          mimeType: "text/csv",
          buffer: Buffer.from(text),
        });
      };
      await drop("short.csv", "a,b\n1,2\n1;2\n");
      await page.getByRole("alert").getByText("Expected line 3 to be two numbers").waitFor();
      await drop("flat.csv", "1,2\n".repeat(200));
      await page.getByRole("alert").getByText("Expected column 1 to vary").waitFor();
      const text = `day,rain\n${Array.from({ length: 300 }, (_, k) => `${1.7e9 + k},${(k * 37) % 101}`).join("\n")}`;
      expect(csvPairs(text).names).toEqual(["day", "rain"]);
      await drop("rain.csv", text);
      await page.getByText(/Rows of rain\.csv: 300 pairs.*day: 1\.7e9/).waitFor();
      // Nothing is wider than a phone.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  test("pictures without pairs are answered by a sentence", { timeout }, async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#pairs?data=curved&pairs=5000&separation=16&models=rg",
    );
    const drop = async (name: string, bytes: Uint8Array): Promise<void> => {
      await page.getByLabel("Drop a picture or").setInputFiles({
        name,
        mimeType: "image/png",
        buffer: Buffer.from(bytes),
      });
    };
    const alert = page.getByRole("alert");
    await drop("damaged.png", encodedScene().slice(0, 300));
    await alert.getByText("Cannot read damaged.png as a picture").waitFor({ timeout });
    await drop(
      "tiny.png",
      encodedPicture(40, 40, (k) => (k % 7) / 7),
    );
    await alert.getByText("Expected tiny.png to have at least 58×42 pixels").waitFor({ timeout });
    await drop(
      "flat.png",
      encodedPicture(100, 80, () => 0.5),
    );
    await alert.getByText("Expected flat.png to vary").waitFor({ timeout });
    // Rows of black and white: no vertical edges, and a curve for two values.
    await drop(
      "rows.png",
      encodedPicture(100, 80, (k) => Math.floor(k / 1000) % 2),
    );
    await alert.getByText("Expected rows.png to have edges").waitFor({ timeout });
    expect(complaints).toEqual([]);
  });
});
