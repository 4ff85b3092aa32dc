import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { csvPairs } from "../../../lab/panels/pairs/csv-pairs.js";
import { chooseFile, encodedPicture, encodedScene, fitInNode } from "./node-parts.js";
import { contentsOf, expectAccessible, launchBeforeTests, openLab, screenshot } from "../in-lab.js";

/** Fits may share two cores with other tests. */
const timeout = 180_000;
const steps = 20;

launchBeforeTests();

async function fitAndSave(page: Page, title: string): Promise<Buffer> {
  const card = page.getByRole("region", { name: title, exact: true });
  await card.getByRole("button", { name: `Fit ${title}` }).click();
  const save = card.getByRole("button", { name: /as a model file/, disabled: false });
  await save.waitFor({ timeout });
  const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
  return contentsOf(download);
}

describe("the panel Pairs", () => {
  test(
    "fits give the same bits as in Node, and the table shows their numbers",
    { timeout },
    async (context) => {
      const hash = `#pairs?data=elliptical&pairs=5000&models=rg+gdn&steps=${steps}&seed=3`;
      const { page, complaints } = await openLab(context, hash);
      const file = await fitAndSave(page, "GDN");
      const source = { kind: "elliptical", count: 5000, seed: "3" } as const;
      const expected = await fitInNode({ source, model: "gdn", steps, seed: "3" });
      expect(Buffer.compare(file, Buffer.from(expected.modelFile))).toBe(0);
      const table = page.getByRole("region", { name: "Results in numbers" });
      const row = table.getByRole("row", { name: /^GDN/ });
      expect((await row.innerText()).replaceAll("−", "-")).toContain(
        expected.negentropyInNats.toFixed(4),
      );
      // The description of the curves names their last values.
      await page.getByRole("img", { name: /^ΔJ \(nats\) .* GDN −/ }).waitFor();
      await expectAccessible(page);
      await screenshot(page, "pairs");
      expect(complaints).toEqual([]);
    },
  );

  test("a dropped picture gives pairs of its coefficients", { timeout }, async (context) => {
    const hash = `#pairs?data=curved&models=ica-mg&steps=${steps}&seed=3&pairs=5000&separation=4`;
    const { page, complaints } = await openLab(context, hash);
    const png = encodedScene();
    await chooseFile(page, "scene.png", png);
    await page.getByText("in 120×90 pixels").waitFor({ timeout });
    const file = await fitAndSave(page, "ICA-MG");
    const picture = { key: "scene", file: new File([png], "scene.png") };
    const place = { orientation: 0, separation: 4, count: 5000, seed: "3" };
    const source = { kind: "wavelets", picture, ...place } as const;
    const expected = await fitInNode({ source, model: "ica-mg", steps, seed: "3" });
    expect(Buffer.compare(file, Buffer.from(expected.modelFile))).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("fits can be paused, resumed and cancelled", { timeout }, async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#pairs?data=curved&pairs=5000&steps=5000&models=gdn",
    );
    await page.getByRole("button", { name: "Fit GDN" }).first().click();
    await page.getByText(/^step [1-9]\d* of 5000$/).waitFor({ timeout });
    await page.getByRole("button", { name: "Pause" }).click();
    const step = page.getByText(/^step \d+ of 5000$/);
    // A step that was under way may still arrive; then nothing changes.
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

  test("wrong CSV files are reported, and a right one is shown", { timeout }, async (context) => {
    const { page, complaints } = await openLab(context, "#pairs?data=csv", {
      viewport: { width: 360, height: 800 },
      colorScheme: "dark",
      reducedMotion: "reduce",
    });
    const alert = page.getByRole("alert");
    await chooseFile(page, "short.csv", "a,b\n1,2\n1;2\n");
    await alert.getByText("line 3").waitFor();
    await chooseFile(page, "flat.csv", "1,2\n".repeat(200));
    await alert.getByText("column 1 does not vary").waitFor();
    const text = `day,rain\n${Array.from({ length: 300 }, (_, k) => `${1.7e9 + k},${(k * 37) % 101}`).join("\n")}`;
    expect(csvPairs(text).names).toEqual(["day", "rain"]);
    await chooseFile(page, "rain.csv", text);
    await page.getByText(/Rows of rain\.csv: 300 pairs.*day: 1\.7e9/).waitFor();
    // Nothing is wider than a phone.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("pictures without pairs are reported", { timeout }, async (context) => {
    const { page, complaints } = await openLab(
      context,
      "#pairs?data=curved&pairs=5000&separation=16&models=rg",
    );
    // Rows of black and white have no vertical edges, and a curve for two values.
    const rows = encodedPicture(100, 80, (k) => Math.floor(k / 1000) % 2);
    const tiny = encodedPicture(40, 40, (k) => (k % 7) / 7);
    const flat = encodedPicture(100, 80, () => 0.5);
    for (const [name, bytes, phrase] of [
      ["damaged.png", encodedScene().slice(0, 300), "Cannot read damaged.png"],
      ["tiny.png", tiny, "at least 58×42 pixels"],
      ["flat.png", flat, "All pixels of flat.png are equal"],
      ["rows.png", rows, "rows.png has no edges"],
    ] as const) {
      await chooseFile(page, name, bytes);
      await page.getByRole("alert").getByText(phrase).waitFor({ timeout });
    }
    expect(complaints).toEqual([]);
  });
});
