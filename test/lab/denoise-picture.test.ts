/** The choice of a picture in the Denoise panel: failures, and choices while a file is read. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { encodedScene } from "./pairs/node-parts.js";
import { computeWorker } from "./compute-worker.js";
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

launchBeforeTests();

const picture = (page: Page): Locator => page.getByRole("combobox", { name: "Picture" });
const figures = (page: Page): Locator => page.locator(".quality data");
const scene = fileOf("scene.png", Buffer.from(encodedScene()));

/** The previous picture is dimmed, and nothing claims to be in progress. */
async function expectFailed(page: Page): Promise<void> {
  await page.locator(".subject.old").waitFor();
  expect(await page.locator(".subject").getAttribute("aria-busy")).toBe("false");
  expect(await figures(page).count()).toBe(0);
  expect(await page.getByText(/Preparing|Loading|\d+×\d+ of/).count()).toBe(0);
  expect(await button(page, "Denoise").isDisabled()).toBe(true);
}

async function expectShown(page: Page, size: string): Promise<void> {
  await page.getByText(size).waitFor();
  await figures(page).first().waitFor();
  expect(await page.locator(".subject.old").count()).toBe(0);
  expect(await button(page, "Denoise").isDisabled()).toBe(false);
  expect(await page.getByRole("alert").count()).toBe(0);
}

/** Makes the worker crash when it gets this job. */
async function failAt(page: Page, job: string): Promise<void> {
  await computeWorker(page).evaluate((fatal) => {
    addEventListener("message", ({ data }: MessageEvent<{ job?: string }>) => {
      if (data.job === fatal) throw new Error("Out of luck.");
    });
  }, job);
}

/** Both at once, so that nothing is read in between. */
async function dropAndChoose(field: Locator, value: string): Promise<void> {
  await field.evaluate(
    (select, given) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(given.bytes)], "scene.png"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
      (select as HTMLSelectElement).value = given.value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    },
    { value, bytes: Array.from(scene.buffer) },
  );
}

describe("the picture of the Denoise panel", { timeout: 3 * limitInMilliseconds }, () => {
  test("a photograph that cannot be loaded is not mistaken for the previous one, and can be retried", async (context) => {
    const { page } = await openLab(context, "#denoise?part=128");
    await expectShown(page, "128×128 of");
    await page.context().setOffline(true);
    await picture(page).selectOption("black-canyon");
    const sentence = /^The photograph “Black Cañon,.*” could not be loaded\.$/;
    await alert(page, sentence).waitFor();
    await expectFailed(page);
    await expectAccessible(page);
    // The previous one is still in memory.
    await picture(page).selectOption("nagasaki-boats");
    await expectShown(page, "128×128 of");
    await picture(page).selectOption("black-canyon");
    await alert(page, sentence).waitFor();
    // The second attempt fails, too.
    const again = button(page, "Try again");
    await Promise.all([page.waitForEvent("requestfailed"), again.click()]);
    await alert(page, sentence).waitFor();
    await expectFailed(page);
    await page.context().setOffline(false);
    await again.click();
    await expectShown(page, "128×128 of");
    expect(await picture(page).inputValue()).toBe("black-canyon");
  });

  test("a picture that cannot be prepared gives a message, until a part of it can", async (context) => {
    const { page } = await openLab(context, "#denoise?part=128");
    await expectShown(page, "128×128 of");
    await failAt(page, "prepare denoising");
    const part = page.getByRole("combobox", { name: "Part" });
    await part.selectOption("whole");
    await alert(page, "The compute worker crashed").waitFor();
    await expectFailed(page);
    await part.selectOption("256");
    await expectShown(page, "256×256 of");
    await failAt(page, "prepare denoising");
    await part.selectOption("512");
    await alert(page, "The compute worker crashed").waitFor();
    await expectFailed(page);
    await button(page, "Try again").click();
    await expectShown(page, "512×512 of");
  });

  test("a photograph chosen while a file is read stays", async (context) => {
    const { page } = await openLab(context, "#denoise?part=128");
    await expectShown(page, "128×128 of");
    await dropAndChoose(picture(page), "black-canyon");
    // A later request, so that the file had time to be read.
    await page.getByRole("slider", { name: "Noise level" }).fill("40");
    await expectShown(page, "128×128 of");
    expect(await picture(page).inputValue()).toBe("black-canyon");
    await expect.poll(() => page.url()).toContain("photo=black-canyon&part=128&added=40");
  });

  test("a part chosen while a file is read applies to the file", async (context) => {
    const { page } = await openLab(context, "#denoise?part=512");
    await expectShown(page, "512×512 of");
    await dropAndChoose(page.getByRole("combobox", { name: "Part" }), "128");
    await expectShown(page, "120×90 pixels");
    await expect.poll(() => page.url()).toMatch(/#denoise\?part=128$/);
    // The photographs keep their part.
    await picture(page).selectOption("nagasaki-boats");
    await expectShown(page, "512×512 of");
  });

  test("an address with another photograph replaces a file", async (context) => {
    const { page } = await openLab(context, "#denoise?part=128");
    await drop(page, scene);
    await page.getByText("120×90 pixels").waitFor();
    await page.evaluate(() => {
      location.hash = "#denoise?photo=black-canyon&part=256";
    });
    await expectShown(page, "256×256 of");
    expect(await picture(page).inputValue()).toBe("black-canyon");
    await page.goBack();
    await expect.poll(() => picture(page).inputValue()).toBe("nagasaki-boats");
  });
});
