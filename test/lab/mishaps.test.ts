import { describe, expect, test } from "vitest";
import { filterPicture } from "../../lab/compute/filter-mosaic.js";
import { pngBytes } from "../support/picture-bytes.js";
import { expectAccessible, launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";
import { canvasBehind, greysOf, hashOfBitmap, packaged } from "./patches-pixels.js";

launchBeforeTests();

/** A few bytes that claim to be 256 million pixels. */
const bomb = pngBytes({
  width: 8,
  height: 8,
  depth: 8,
  channels: 1,
  samples: new Uint8Array(64),
  claim: { width: 16_000, height: 16_000 },
});

describe("what goes wrong is said in a sentence", { timeout: 2 * limitInMilliseconds }, () => {
  test("a mistake while a panel is drawn, and the panel can be opened again", async (context) => {
    const { page } = await openLab(context, "#patches?view=samples&seed=3");
    await page.getByRole("listbox", { name: "Samples of GDN" }).waitFor();
    await page.evaluate(() => {
      const { prototype } = HTMLCanvasElement;
      const whole = Object.getOwnPropertyDescriptor(prototype, "getContext") ?? {};
      Object.assign(globalThis, {
        mend: () => Object.defineProperty(prototype, "getContext", whole),
      });
      prototype.getContext = () => {
        throw new Error("No canvas today.");
      };
    });
    await page.getByRole("button", { name: "Next seed" }).click();
    const alert = page.getByRole("alert");
    await alert.filter({ hasText: "No canvas today." }).waitFor();
    await expectAccessible(page);
    await page.evaluate(() => {
      (globalThis as unknown as { mend: () => void }).mend();
    });
    await page.getByRole("button", { name: "Open it again" }).click();
    await page.getByText("36 samples of GDN, seed 4").waitFor();
    expect(await alert.count()).toBe(0);
  });

  test("a picture of too many pixels for pairs", async (context) => {
    const { page } = await openLab(context, "#pairs");
    await page
      .locator(".drop input")
      .setInputFiles({ name: "bomb.png", mimeType: "image/png", buffer: bomb });
    await page.getByRole("alert").filter({ hasText: "16000×16000 pixels" }).waitFor();
  });

  test.for(["patches", "train"])(
    "a model of too many dimensions, before it is decoded, in %s",
    async (panel, context) => {
      const { page } = await openLab(context, `#${panel}?photos=none`);
      // The header alone: whoever decodes it says that the rest is missing.
      const shape = [33 ** 2, 33 ** 2];
      const header = Buffer.from(JSON.stringify({ "stages.0.H": { dtype: "F32", shape } }));
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(header.length));
      await page.locator(".drop input").setInputFiles({
        name: "large.safetensors",
        mimeType: "application/octet-stream",
        buffer: Buffer.concat([length, header]),
      });
      const alert = page.getByRole("alert").filter({ hasText: "large.safetensors has 1089 dim" });
      await alert.first().waitFor();
      if (panel === "train") return;
      await page.getByRole("combobox", { name: "Model" }).selectOption("rg");
      const rg = hashOfBitmap(filterPicture(await packaged("rg"))!);
      expect(await greysOf(canvasBehind(page, "Filters of RG"))).toEqual(rg);
    },
  );

  test("files that miss their box do not open in place of the page", async (context) => {
    const { page } = await openLab(context, "#denoise");
    const prevented = await page.evaluate(() => {
      const send = (type: string, put: (data: DataTransfer) => void): boolean => {
        const dataTransfer = new DataTransfer();
        put(dataTransfer);
        const settings = { dataTransfer, bubbles: true, cancelable: true };
        return !document.querySelector("h1")?.dispatchEvent(new DragEvent(type, settings));
      };
      const file = (data: DataTransfer): void => {
        data.items.add(new File(["x"], "x.png"));
      };
      const text = (data: DataTransfer): void => {
        data.setData("text/plain", "x");
      };
      return [send("dragover", file), send("drop", file), send("dragover", text)];
    });
    expect(prevented).toEqual([true, true, false]);
  });

  test("a panel whose parts the server did not send, and it is loaded when the server is there again", async (context) => {
    const { page } = await openLab(context, "#runs");
    await page.context().setOffline(true);
    const link = page.getByRole("navigation").getByRole("link", { name: "Denoise" });
    await link.click();
    const alert = page.getByRole("alert");
    await alert.filter({ hasText: "could not be loaded from the server" }).waitFor();
    expect(await alert.textContent()).not.toMatch(/CSS|http|Error/);
    await expectAccessible(page);
    const again = page.getByRole("button", { name: "Try again" });
    // Asked once more, and in vain.
    await Promise.all([page.waitForEvent("requestfailed"), again.click()]);
    await alert.waitFor();
    await page.context().setOffline(false);
    await again.click();
    await page.locator('.comparison img[alt="noisy"]').waitFor();
    expect(await alert.count()).toBe(0);
    // With its styles, which were not there at first either.
    const box = page.locator(".comparison");
    expect(await box.evaluate((element) => getComputedStyle(element).overflow)).toBe("hidden");
  });
});
