import { describe, expect, test } from "vitest";
import { filterPicture } from "../../lab/compute/filter-mosaic.js";
import { pngBytes } from "../support/picture-bytes.js";
import {
  alert,
  button,
  drop,
  expectAccessible,
  fileOf,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
} from "./in-lab.js";
import { canvasBehind, greysOf, hashOfBitmap, packaged } from "./patches-pixels.js";

launchBeforeTests();

/** A small file that claims 256 million pixels. */
const bomb = pngBytes({
  width: 8,
  height: 8,
  depth: 8,
  channels: 1,
  samples: new Uint8Array(64),
  claim: { width: 16_000, height: 16_000 },
});

describe("the lab survives", { timeout: 2 * limitInMilliseconds }, () => {
  test("an error while a panel is drawn, and opens the panel again", async (context) => {
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
    await button(page, "Next seed").click();
    await alert(page, "No canvas today.").waitFor();
    await expectAccessible(page);
    await page.evaluate(() => {
      (globalThis as unknown as { mend: () => void }).mend();
    });
    await button(page, "Open it again").click();
    await page.getByText("36 samples of GDN, seed 4").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("a picture with too many pixels in Pairs", async (context) => {
    const { page } = await openLab(context, "#pairs");
    await drop(page, fileOf("bomb.png", bomb));
    await alert(page, "16000×16000 pixels").waitFor();
  });

  test.for(["patches", "train"])(
    "a model with too many dimensions in %s, without decoding it",
    async (panel, context) => {
      const { page } = await openLab(context, `#${panel}?photos=none`);
      // Only the header. Decoding it would report that the rest is missing.
      const shape = [33 ** 2, 33 ** 2];
      const header = Buffer.from(JSON.stringify({ "stages.0.H": { dtype: "F32", shape } }));
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(header.length));
      await drop(page, fileOf("large.safetensors", Buffer.concat([length, header])));
      await alert(page, "large.safetensors has 1089 dim").first().waitFor();
      if (panel === "train") return;
      await page.getByRole("combobox", { name: "Model" }).selectOption("rg");
      const rg = hashOfBitmap(filterPicture(await packaged("rg"))!);
      expect(await greysOf(canvasBehind(page, "Filters of RG"))).toEqual(rg);
    },
  );

  test("files dropped beside their box, which do not replace the page", async (context) => {
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

  test("a panel that the server does not send, and loads it when the server is back", async (context) => {
    const { page } = await openLab(context, "#runs");
    await page.context().setOffline(true);
    const link = page.getByRole("navigation").getByRole("link", { name: "Denoise" });
    await link.click();
    const message = alert(page, "could not be loaded from the server");
    expect(await message.textContent()).not.toMatch(/CSS|http|Error/);
    await expectAccessible(page);
    const again = button(page, "Try again");
    // The second attempt fails, too.
    await Promise.all([page.waitForEvent("requestfailed"), again.click()]);
    await message.waitFor();
    await page.context().setOffline(false);
    await again.click();
    await page.locator('.comparison img[alt="noisy"]').waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    // Its styles failed at first, too.
    const box = page.locator(".comparison");
    expect(await box.evaluate((element) => getComputedStyle(element).overflow)).toBe("hidden");
  });
});
