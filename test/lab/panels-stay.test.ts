import type { Page } from "playwright-core";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import {
  alert,
  button,
  drop,
  fileOf,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
} from "./in-lab.js";

launchBeforeTests();

const picture = await sharp({
  create: { width: 48, height: 40, channels: 3, background: "#806040" },
})
  .png()
  .toBuffer();
const mine = fileOf("mine.png", picture);

/** Has wavelet coefficients that differ. */
const photograph = (): Promise<Buffer> =>
  sharp(embeddedPhotographs()[0].path).resize(256, 256).png().toBuffer();

const open = async (page: Page, title: string): Promise<void> => {
  await page.getByRole("navigation").getByRole("link", { name: title }).click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
};

const hashOf = (page: Page): string => new URL(page.url()).hash;

/** Drops a file on the first element of a selector. */
const dropOn = (
  page: Page,
  selector: string,
  { name, buffer }: { readonly name: string; readonly buffer: Uint8Array } = mine,
): Promise<void> =>
  page.evaluate(
    ({ at, bytes, called }) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(bytes)], called, { type: "image/png" }));
      const settings = { dataTransfer, bubbles: true, cancelable: true };
      for (const type of ["dragover", "drop"]) {
        document.querySelector(at)?.dispatchEvent(new DragEvent(type, settings));
      }
    },
    { at: selector, bytes: [...buffer], called: name },
  );

describe(
  "panels keep their state while others are open",
  { timeout: 4 * limitInMilliseconds },
  () => {
    test("Denoise keeps the own picture, the results and the scroll position", async (context) => {
      const { page, complaints } = await openLab(context, "#denoise?method=marginal");
      await drop(page, mine);
      await page.getByText("48×40 pixels, colour").waitFor();
      await button(page, "Denoise").click();
      await page.getByRole("rowheader", { name: "Marginal" }).waitFor();
      await page.getByRole("combobox", { name: "Size" }).selectOption("four");
      await page.setViewportSize({ width: 360, height: 300 });
      const box = page.locator(".comparison");
      const place = (): Promise<readonly number[]> =>
        box.evaluate((element) => [element.scrollLeft, element.scrollTop]);
      await box.evaluate((element) => {
        element.scrollTo(element.scrollWidth, 10);
      });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      const before = await place();
      for (const title of ["Pairs", "Patches", "Train", "Runs"]) await open(page, title);
      await open(page, "Denoise");
      // On a phone the settings are a sheet, which is closed.
      await page.getByText("48×40 pixels, colour").waitFor({ state: "attached" });
      expect(await page.getByRole("rowheader", { name: "Marginal" }).count()).toBe(1);
      expect(await place()).toEqual(before);
      const doubles = await page.evaluate(() => {
        const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
        return ids.filter((id, k) => ids.indexOf(id) !== k);
      });
      expect(doubles).toEqual([]);
      // Keys and screen readers do not reach hidden panels.
      expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual(["Denoise"]);
      await expect.poll(() => page.title()).toMatch(/^Denoise/);
      expect(complaints).toEqual([]);
    });

    test("a denoising continues, and its settings stay out of the address of another panel", async (context) => {
      const { page } = await openLab(context, "#denoise?part=128&added=30");
      await page.getByText("128×128 of").waitFor();
      await button(page, "Denoise").click();
      await open(page, "Runs");
      expect(hashOf(page)).toBe("#runs");
      const found = page.locator("table.quality th", { hasText: "GDN, three rounds" });
      await found.waitFor({ state: "attached" });
      expect(await found.isVisible()).toBe(false);
      await page.getByRole("combobox", { name: "Horizontal axis" }).selectOption("time");
      await expect.poll(() => hashOf(page)).toBe("#runs?over=time");
      await open(page, "Denoise");
      expect(hashOf(page)).toBe("#denoise?part=128&added=30");
      expect(await found.isVisible()).toBe(true);
    });

    test("changes of a hidden panel are in its address when it is opened again", async (context) => {
      const { page } = await openLab(context, "#denoise");
      await page.getByText("256×256 of").waitFor();
      const large = await sharp(picture).resize(2000, 1500).png().toBuffer();
      await drop(page, fileOf("mine.png", large));
      // At once. An own picture is shown whole as soon as it is read.
      await open(page, "Runs");
      const link = page.getByRole("navigation").getByRole("link", { name: "Denoise" });
      await expect.poll(() => link.getAttribute("href")).toBe("#denoise?part=whole");
      expect(hashOf(page)).toBe("#runs");
      await open(page, "Denoise");
      expect(hashOf(page)).toBe("#denoise?part=whole");
      await page.getByText("2000×1500 pixels, colour").waitFor();
    });

    test("Pairs continues and keeps its fits", async (context) => {
      const { page } = await openLab(context, "#pairs?data=curved&models=rg&steps=100");
      await page.getByText("20,000 pairs.").waitFor();
      await button(page, "Fit RG").first().click();
      await page.getByText(/^step \d+ of 100$/).waitFor();
      await open(page, "Runs");
      await page
        .getByRole("button", { name: "Fit RG", includeHidden: true })
        .and(page.locator(".main:enabled"))
        .waitFor({ state: "attached" });
      await open(page, "Pairs");
      await page.getByRole("button", { name: "Save RG as a model file" }).waitFor();
    });

    test("links and Back lead to other addresses of the same panel", async (context) => {
      const { page } = await openLab(context, "#pairs?data=curved");
      const kind = page.getByRole("combobox", { name: "Pairs", exact: true });
      await page.evaluate(() => {
        location.hash = "#pairs?data=independent";
      });
      await expect.poll(() => kind.inputValue()).toBe("independent");
      await open(page, "Runs");
      await page.goBack();
      await page.goBack();
      await expect.poll(() => kind.inputValue()).toBe("curved");
      await expect.poll(() => page.title()).toMatch(/^Pairs/);
    });

    test("Runs asks the server only while it is open, and at once when it is opened again", async (context) => {
      const { page } = await openLab(context, "#runs");
      let asked = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("api/runs")) asked++;
      });
      await page.clock.install();
      await open(page, "Train");
      // Longer than the pause between two requests.
      await page.clock.runFor(20_000);
      asked = 0;
      await page.clock.runFor(20_000);
      expect(asked).toBe(0);
      await open(page, "Runs");
      await expect.poll(() => asked).toBe(1);
    });

    test("an error in one panel does not affect the others", async (context) => {
      const { page } = await openLab(context, "#denoise");
      await drop(page, mine);
      await page.getByText("48×40 pixels, colour").waitFor();
      await page.evaluate(() => {
        HTMLCanvasElement.prototype.getContext = () => {
          throw new Error("No canvas today.");
        };
      });
      await open(page, "Patches");
      await alert(page, "No canvas today.").waitFor();
      await open(page, "Denoise");
      await page.getByText("48×40 pixels, colour").waitFor();
    });
  },
);

describe("dropped files", { timeout: 2 * limitInMilliseconds }, () => {
  test("can be dropped anywhere, and only the open panel takes them", async (context) => {
    const { page } = await openLab(context, "#denoise");
    await page.getByText("256×256 of").waitFor();
    await dropOn(page, ".comparison img");
    await page.getByText("48×40 pixels, colour").waitFor();
    const chosen = page.getByRole("combobox", { name: "Picture" });
    expect(await chosen.inputValue()).toBe("own file");
    await open(page, "Pairs");
    // A panel takes files a moment after it appears, and before its first result.
    await page.getByText("20,000 pairs.").waitFor();
    await dropOn(page, "h1", { name: "other.png", buffer: await photograph() });
    await expect.poll(() => chosen.inputValue()).toBe("own file");
    await open(page, "Denoise");
    expect(await chosen.locator("option").first().textContent()).toBe("mine.png");
  });
});
