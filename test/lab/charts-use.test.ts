import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  alert,
  button,
  contentsOf,
  expectAccessible,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
} from "./in-lab.js";

launchBeforeTests();

const address = "#pairs?data=curved&pairs=5000&models=rg+gdn&steps=40";

async function fitted(page: Page): Promise<void> {
  await page.getByText("5,000 pairs.").waitFor();
  await button(page, "Fit all").click();
  const saves = page.getByRole("button", { name: /as a model file$/, disabled: false });
  await expect.poll(() => saves.count()).toBe(2);
}

async function saved(page: Page, name: string): Promise<string> {
  const save = button(page, name).first();
  const [file] = await Promise.all([page.waitForEvent("download"), save.click()]);
  return (await contentsOf(file)).toString("utf8");
}

describe("a chart of the lab", { timeout: 2 * limitInMilliseconds }, () => {
  test("is read and zoomed with keys and the mouse, and saved", async (context) => {
    const { page, complaints } = await openLab(context, address);
    await fitted(page);
    const chart = page.getByRole("slider", { name: "Values of the chart: ΔJ (nats)" });
    const words = (): Promise<string | null> => chart.getAttribute("aria-valuetext");
    expect(await words()).toMatch(/^step 40: RG −?[\d.]+, GDN −?[\d.]+$/);
    await chart.press("Home");
    expect(await words()).toMatch(/^step 0: /);
    await page.getByText("at step 0", { exact: true }).waitFor();
    await chart.press("+");
    expect(Number(await chart.getAttribute("aria-valuemin"))).toBeGreaterThan(0);
    await chart.press("0");
    expect(await chart.getAttribute("aria-valuemin")).toBe("0");
    const box = await chart.boundingBox();
    if (!box) throw new Error("The chart has no place.");
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 60, { steps: 4 });
    await page.mouse.up();
    expect(Number(await chart.getAttribute("aria-valuemin"))).toBeGreaterThanOrEqual(18);
    await button(page, "All: show everything").first().click();
    await expectAccessible(page);
    const table = await saved(page, "Save the values as CSV");
    expect(table).toMatch(/^series,step,ΔJ \(nats\)\nRG,0,-?[\d.]+\n/);
    expect(table.split("\n").filter((line) => line.startsWith("GDN,")).length).toBeGreaterThan(5);
    const svg = await saved(page, "Save the chart as SVG");
    expect(svg).toContain("<text");
    expect(svg).not.toMatch(/ class=| style=/);
    expect(svg).toMatch(/stroke="rgb\(/);
    expect(await saved(page, "Save the chart as PNG")).toContain("PNG");
    expect(complaints).toEqual([]);
  });

  test("has a sheet of settings on phones, which Escape closes", async (context) => {
    const viewport = { width: 390, height: 844 };
    const { page, complaints } = await openLab(context, address, { viewport });
    await page.getByText("5,000 pairs.").waitFor();
    const steps = page.getByLabel("Steps");
    expect(await steps.isVisible()).toBe(false);
    const fit = await button(page, "Fit all").boundingBox();
    expect(fit?.y).toBeLessThan(400);
    await button(page, "Settings").click();
    await steps.waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => steps.isVisible()).toBe(false);
    expect(await button(page, "Settings").evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
    // The button stays in sight.
    await page.evaluate(() => {
      scrollTo(0, 900);
    });
    await expect
      .poll(async () => (await button(page, "Fit all").boundingBox())?.y)
      .toBeLessThan(40);
    expect(complaints).toEqual([]);
  });
});

describe("an address", { timeout: limitInMilliseconds }, () => {
  test("with wrong values is reported and corrected", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?sort=colour&seed=2");
    await alert(page, "The address has a value that is not allowed: sort=colour.").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#runs?seed=2");
    await button(page, "Close this message").click();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("is copied by Share", async (context) => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await openLab(context, "#runs?seed=2", { permissions });
    await page.getByRole("button", { name: /^Share/ }).click();
    await page.getByText("Copied").first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  });
});
