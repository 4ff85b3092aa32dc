import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../../src/random/random-stream.js";
import { chooseFile, encodedScene } from "./node-parts.js";
import { computeWorker } from "../compute-worker.js";
import { expectAccessible, launchBeforeTests, openLab } from "../in-lab.js";
import { expectNoJumps } from "../jumps.js";

/** Fits may share two cores with other tests. */
const timeout = 180_000;

launchBeforeTests();

const viewports = [
  { width: 1280, height: 900 },
  { width: 360, height: 800 },
];
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const alert = (page: Page) => page.getByRole("alert");

interface TestFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const scene: TestFile = { name: "scene.png", type: "image/png", bytes: encodedScene() };
const damaged: TestFile = { ...scene, name: "bad.png", bytes: scene.bytes.slice(0, 300) };
const table = (name: string, text: string): TestFile => ({
  name,
  type: "text/csv",
  bytes: Buffer.from(text),
});

/** 400 rows of two numbers, as text. */
function rows(valuesOf: (k: number) => readonly [number, number]): string {
  return Array.from({ length: 400 }, (_, k) => valuesOf(k).join(",")).join("\n");
}

const random = createRandom(8, "rows");
const good = table(
  "good.csv",
  rows(() => [random.normal(), random.normal()]),
);
const broken = table("broken.csv", `${rows((k) => [k, k * k])}\n1;2`);

/** Sends the events of a file dropped on an element, once the panel takes files. */
async function drop(page: Page, selector: string, { name, type, bytes }: TestFile): Promise<void> {
  const file = { name, type, bytes: Array.from(bytes) };
  const transfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(given.bytes)], given.name, { type: given.type }));
    return data;
  }, file);
  const isOver = async (): Promise<boolean> => {
    await page.dispatchEvent(selector, "dragover", { dataTransfer: transfer });
    return page.locator(".drop.over").isVisible();
  };
  // Browsers repeat this event, too.
  await expect.poll(isOver).toBe(true);
  await page.dispatchEvent(selector, "drop", { dataTransfer: transfer });
}

async function failInWorker(page: Page, message: string): Promise<void> {
  await computeWorker(page).evaluate((said) => {
    setTimeout(() => {
      throw new Error(said);
    });
  }, message);
}

async function fitAndWait(page: Page, title: string): Promise<string> {
  const card = page.getByRole("region", { name: title, exact: true });
  await card.getByRole("button", { name: `Fit ${title}` }).click();
  await card.getByText(/^\d+ steps, /).waitFor({ timeout });
  return card.innerText();
}

describe("fits in the panel Pairs", { timeout }, () => {
  test("continue when the motion preference of the system changes", async (context) => {
    const { page } = await openLab(context, "#pairs?data=elliptical&models=rg&steps=5000");
    await page.getByText(/pairs\. Mean/).waitFor();
    await button(page, "Fit RG").first().click();
    await button(page, "Pause").click();
    await button(page, "Resume").waitFor();
    for (const reducedMotion of ["reduce", "no-preference"] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
    }
    await button(page, "Resume").click();
    await button(page, "Cancel").click();
    await page.getByText(/^cancelled at step \d+$/).waitFor();
  });

  test.for(viewports)(
    "move nothing when they start, run, end and start again, at $width pixels",
    async (viewport, context) => {
      const { page } = await openLab(
        context,
        "#pairs?data=curved&pairs=5000&models=rg+gdn&steps=40",
        { viewport },
      );
      const topOfCurves = async (): Promise<number | undefined> =>
        (await page.locator(".pair-cards + .figures").boundingBox())?.y;
      const all = button(page, "Fit all");
      await expectNoJumps(page, async () => {
        await page.getByText("5,000 pairs.").waitFor();
        await all.focus();
        const before = await topOfCurves();
        const saves = page.getByRole("button", { name: /as a model file$/, disabled: false });
        for (const round of [1, 2]) {
          await all.press("Enter");
          if (round === 2) await expect.poll(() => saves.count()).toBeLessThan(2);
          await expect.poll(() => saves.count(), { timeout }).toBe(2);
          expect(await topOfCurves()).toBe(before);
          await all.focus();
        }
        expect(await topOfCurves()).toBe(before);
      });
    },
  );

  test.for(viewports)(
    "move nothing when they fail, at $width pixels",
    async (viewport, context) => {
      const { page } = await openLab(
        context,
        "#pairs?data=curved&pairs=5000&models=gdn&steps=5000",
        {
          viewport,
        },
      );
      await expectNoJumps(page, async () => {
        await page.getByText("5,000 pairs.").waitFor();
        await button(page, "Fit GDN").first().press("Enter");
        await page.getByText(/^step [1-9]\d* of 5000$/).waitFor({ timeout });
        await failInWorker(page, "Out of luck.");
        await alert(page).getByText("GDN: The compute worker crashed").waitFor();
        await page.getByText(/^failed at step \d+$/).waitFor();
      });
      // The problem is visible beside the card, too.
      await page.getByRole("region", { name: "GDN", exact: true }).evaluate((card) => {
        card.scrollIntoView();
      });
      const box = await alert(page).boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? Infinity)).toBeLessThan(viewport.height);
      await expectAccessible(page);
    },
  );

  test("show their parameters while they run", async (context) => {
    const { page } = await openLab(context, "#pairs?data=curved&pairs=5000&models=gdn&steps=5000");
    const parameters = page.getByRole("table", { name: "Parameters of GDN" });
    await parameters.waitFor();
    expect(await parameters.locator("td").allInnerTexts()).toEqual(Array(16).fill("–"));
    await button(page, "Fit GDN").first().click();
    await page.getByText(/^step [1-9]\d* of 5000$/).waitFor({ timeout });
    const first = await parameters.innerText();
    expect(first).not.toContain("–");
    await expect.poll(() => parameters.innerText(), { timeout }).not.toBe(first);
    expect(await page.getByText(/^step \d+ of 5000$/).count()).toBe(1);
  });
});

describe("files in the panel Pairs", { timeout }, () => {
  test.for([
    { file: damaged, phrase: "Cannot read bad.png" },
    { file: broken, phrase: "line 401" },
  ])(
    "that cannot be read are reported and change nothing: $file.name",
    async ({ file, phrase }, context) => {
      const { page, complaints } = await openLab(
        context,
        "#pairs?data=curved&models=rg&steps=20&pairs=5000",
      );
      await chooseFile(page, scene.name, scene.bytes);
      await page.getByText("in 120×90 pixels").waitFor({ timeout });
      const fitted = await fitAndWait(page, "RG");
      await drop(page, ".drop", file);
      await alert(page).getByText(phrase).waitFor();
      const card = page.getByRole("region", { name: "RG", exact: true });
      expect(await card.innerText()).toBe(fitted);
      expect(await page.getByRole("combobox", { name: "Pairs" }).inputValue()).toBe("wavelets");
      const picture = page.getByRole("combobox", { name: "Picture" });
      expect(await picture.locator("option:checked").innerText()).toBe("scene.png");
      expect(await button(page, "Fit RG").first().isEnabled()).toBe(true);
      await expectAccessible(page);
      await button(page, "Close this message").click();
      expect(await alert(page).count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );

  test("that cannot be read leave the table before in place", async (context) => {
    const { page } = await openLab(context, "#pairs?data=csv&models=rg&steps=20");
    await page.getByText("Drop a CSV file: two columns").waitFor();
    await drop(page, "h1", good);
    await page.getByText("Rows of good.csv: 400 pairs").waitFor();
    const fitted = await fitAndWait(page, "RG");
    await drop(page, "h1", broken);
    await alert(page).getByText("line 401").waitFor();
    await page.getByText("Rows of good.csv: 400 pairs").waitFor();
    expect(await page.getByRole("region", { name: "RG", exact: true }).innerText()).toBe(fitted);
  });

  test.for(["wavelets", "curved", "csv"])(
    "switch from %s to their kind of data, wherever they are dropped",
    async (data, context) => {
      const { page, complaints } = await openLab(context, `#pairs?data=${data}&models=rg`);
      const pairs = page.getByRole("combobox", { name: "Pairs" });
      const files = data === "csv" ? [scene, good] : [good, scene];
      for (const [k, file] of files.entries()) {
        await drop(page, k === 0 ? "section.results" : ".drop", file);
        const about = file === good ? "Rows of good.csv" : "in 120×90 pixels";
        await page.getByText(about).waitFor({ timeout });
        expect(await pairs.inputValue()).toBe(file === good ? "csv" : "wavelets");
      }
      // Both files are kept, and the menu returns to the first.
      await pairs.selectOption(files[0] === good ? "csv" : "wavelets");
      const again = files[0] === good ? "Rows of good.csv" : "in 120×90 pixels";
      await page.getByText(again).waitFor({ timeout });
      expect(complaints).toEqual([]);
    },
  );

  test("with many equal pairs show a warning", async (context) => {
    const { page } = await openLab(context, "#pairs?data=csv&models=rg&steps=20");
    await drop(
      page,
      "h1",
      table(
        "grid.csv",
        rows((k) => [k % 3, Math.floor(k / 3) % 2]),
      ),
    );
    await page.getByText("Rows of grid.csv").waitFor();
    await page.getByRole("status").getByText("Many of the pairs are equal").waitFor();
    await drop(page, "h1", good);
    await page.getByText("Rows of good.csv").waitFor();
    expect(await page.getByText("are equal").count()).toBe(0);
  });
});

test("models without a tick are neither shown nor fitted", { timeout }, async (context) => {
  const { page } = await openLab(context, "#pairs?data=curved&pairs=5000&steps=20");
  const box = (name: string) => page.getByRole("checkbox", { name, exact: true });
  await fitAndWait(page, "GDN");
  await page.getByRole("img", { name: /^ΔJ .* GDN/ }).waitFor();
  for (const title of ["ICA-MG", "RG", "Lₚ", "GDN"]) await box(title).uncheck();
  await page.getByText("No model is ticked").waitFor();
  expect(await page.locator(".pair-card").count()).toBe(0);
  expect(await page.getByRole("img", { name: /GDN/ }).count()).toBe(0);
  expect(await button(page, "Fit all").isEnabled()).toBe(false);
  await expectAccessible(page);
  await expect.poll(() => page.url()).toContain("models=none");
  await page.reload();
  await page.getByText("No model is ticked").waitFor();
  await box("RG").check();
  await page.getByRole("region", { name: "RG", exact: true }).waitFor();
  expect(await page.locator(".pair-card").count()).toBe(1);
});
