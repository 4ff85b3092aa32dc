/** Choices in the Pairs panel while other pairs load. */
import type { Locator, Page } from "playwright-core";
import { type TestContext, describe, expect, test } from "vitest";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectAccessible, launchBeforeTests, limitInMilliseconds, openLab } from "../in-lab.js";
import { expectNoJumps } from "../jumps.js";
import { chooseFile, encodedScene } from "./node-parts.js";

launchBeforeTests();

const choice = (page: Page, name: string): Locator => page.getByRole("combobox", { name });
const card = (page: Page): Locator => page.getByRole("region", { name: "RG", exact: true });
const about = (page: Page): Locator => page.locator(".pair-about");

const random = createRandom(8, "rows");
const rows = Array.from({ length: 400 }, () => `${random.normal()},${random.normal()}`);
const files = {
  "scene.png": encodedScene(),
  "good.csv": new TextEncoder().encode(rows.join("\n")),
};

async function openPairs(context: TestContext): Promise<Page> {
  const { page } = await openLab(context, "#pairs?models=rg");
  await page.getByText("20,000 pairs.").waitFor();
  return page;
}

/** Drops a file and chooses an option in one task, before the file can be read. */
async function dropAndChoose(
  page: Page,
  name: keyof typeof files,
  label: string,
  value: string,
): Promise<void> {
  await choice(page, label).evaluate(
    (select, given) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(given.bytes)], given.name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
      (select as HTMLSelectElement).value = given.value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    },
    { name, value, bytes: Array.from(files[name]) },
  );
}

describe("choices in the panel Pairs", { timeout: 3 * limitInMilliseconds }, () => {
  test("nothing moves when another photograph is chosen, and closed details stay closed", async (context) => {
    const { page } = await openLab(context, "#pairs?models=rg&photograph=acanthus-mollis");
    const chooseNext = async (): Promise<void> => {
      const before = await about(page).innerText();
      await choice(page, "Picture").press("ArrowDown");
      const isAnother = async (): Promise<boolean> => {
        const text = await about(page).innerText();
        return text !== before && !text.includes("Loading …");
      };
      await expect.poll(isAnother, { timeout: limitInMilliseconds }).toBe(true);
    };
    await expectNoJumps(page, async () => {
      await page.getByText("20,000 pairs.").waitFor();
      const first = await card(page).elementHandle();
      await chooseNext();
      expect(await first.evaluate((element) => element.isConnected)).toBe(true);
    });
    await card(page).locator("summary").press("Enter");
    await chooseNext();
    expect(await card(page).locator("details").getAttribute("open")).toBe(null);
    await expect.poll(() => page.url()).toContain("photograph=allium-oreophilum");
  });

  test("a photograph that fails to load is reported, and can be tried again", async (context) => {
    const page = await openPairs(context);
    await page.context().setOffline(true);
    await choice(page, "Picture").selectOption("acanthus-mollis");
    const sentence = "The photograph “Acanthus mollis” could not be loaded.";
    await page.getByRole("alert").getByText(sentence).waitFor();
    expect(await card(page).count()).toBe(0);
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("20,000 pairs.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test.for([
    ["scene.png", "Picture", "acanthus-mollis"],
    ["good.csv", "Picture", "acanthus-mollis"],
    ["scene.png", "Pairs", "curved"],
    ["good.csv", "Pairs", "curved"],
  ] as const)(
    "a choice made while %s is read wins: %s %s",
    async ([name, label, value], context) => {
      const page = await openPairs(context);
      await dropAndChoose(page, name, label, value);
      // Later work in the same worker: by then the file has been read.
      await choice(page, "Count").selectOption("5000");
      await page.getByText("5,000 pairs.").waitFor();
      expect(await choice(page, label).inputValue()).toBe(value);
      expect(await page.getByText("Loading …").count()).toBe(0);
      expect(await page.getByText(/scene\.png|good\.csv/).count()).toBe(0);
    },
  );

  test("a file is used if its own kind of data is chosen while it is read", async (context) => {
    const page = await openPairs(context);
    await dropAndChoose(page, "good.csv", "Pairs", "csv");
    await page.getByText("Rows of good.csv: 400 pairs").waitFor();
  });

  test("a new address with another photograph replaces a dropped picture", async (context) => {
    const { page } = await openLab(context, "#pairs?models=rg");
    await chooseFile(page, "scene.png", files["scene.png"]);
    await page.getByText("in 120×90 pixels").waitFor();
    await page.evaluate(() => {
      location.hash = "#pairs?models=rg&photograph=acanthus-mollis";
    });
    await page.getByText("in 120×90 pixels").waitFor({ state: "detached" });
    await page.getByText("20,000 pairs.").waitFor();
    expect(await choice(page, "Picture").inputValue()).toBe("acanthus-mollis");
  });
});
