import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { panels } from "../../lab/panels/panels.js";
import { type LabServer, openLabServer } from "../../node/lab-server.js";
import { type EnginePage, waitFor } from "./drivers/engine.js";
import { engineNames, launchBeforeTests } from "./drivers/engines.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let server: LabServer | undefined;
beforeAll(async () => {
  server = await openLabServer({ folder: here("../../dist/lab"), runs: undefined });
  await mkdir(here("screenshots"), { recursive: true });
});
afterAll(() => server?.close());

const text = (words: string): string =>
  `document.body.innerText.includes(${JSON.stringify(words)})`;
/** Expression for a loaded image whose description starts like this. */
const picture = (description: string): string =>
  `[...document.images].some((e) => e.alt.startsWith(${JSON.stringify(description)}) && e.naturalWidth > 0)`;
const button = (name: string): string => `//button[normalize-space()='${name}']`;

/** PSNR and SSIM with all digits in the first engine. */
let shownFirst: string | undefined;

describe.each(engineNames)("the lab in %s", (name) => {
  const openPage = launchBeforeTests(name);
  const openLab = (context: Parameters<typeof openPage>[0], hash: string) =>
    openPage(context, `${server?.address ?? ""}#${hash}`);

  const shoot = async (page: EnginePage, panel: string): Promise<void> => {
    const file = here(`screenshots/${name.toLowerCase()}-${panel}.png`);
    await writeFile(file, await page.screenshot());
  };

  test("opens every panel by its tab, without errors", async (context) => {
    const page = await openLab(context, "");
    for (const { name: panel, title, heading } of panels) {
      await page.click(`//nav//a[normalize-space()='${title}']`);
      await waitFor(page, `location.hash.startsWith("#${panel}")`);
      await waitFor(
        page,
        `[...document.querySelectorAll("main article h1")].some((e) => e.checkVisibility() && e.textContent === "${heading}")`,
      );
      await shoot(page, panel);
    }
    expect(await page.complaints()).toEqual([]);
  });

  test("fits a model, without errors", async (context) => {
    const page = await openLab(context, "train?steps=40&patch=4");
    await waitFor(page, text("8 pictures, with room for"));
    await page.click(button("Fit"));
    await waitFor(page, text("Done: 40 of 40 steps"));
    await waitFor(page, picture("ΔJ"));
    await shoot(page, "train");
    expect(await page.complaints()).toEqual([]);
  });

  test("denoises a picture with exactly the PSNR of the other engines", async (context) => {
    const page = await openLab(context, "denoise?method=marginal");
    await waitFor(page, picture("noisy"));
    await page.click(button("Denoise"));
    await waitFor(page, picture("Marginal"));
    await waitFor(page, `document.querySelectorAll("table.quality data").length >= 4`);
    await shoot(page, "denoise");
    const shown = await page.evaluate<string>(
      `return [...document.querySelectorAll("table.quality data")].map((e) => e.value).join(" ");`,
    );
    shownFirst ??= shown;
    expect(shown).toBe(shownFirst);
    expect(await page.complaints()).toEqual([]);
  });
});
