/**
 * The lab in every engine: each panel opens, has no axe findings, and does one task with the result
 * of the other engines.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { panels } from "../../lab/panels/panels.js";
import { type LabServer, openLabServer } from "../../node/lab-server.js";
import { recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";
import { violationsIn } from "./drivers/axe.js";
import { type EnginePage, waitFor } from "./drivers/engine.js";
import { engineNames, launchBeforeTests } from "./drivers/engines.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let server: LabServer | undefined;
beforeAll(async () => {
  server = await openLabServer({ folder: here("../../dist/lab"), runs: await makeRun() });
  await mkdir(here("screenshots"), { recursive: true });
});
afterAll(() => server?.close());

/** Makes a folder with one short fit. */
async function makeRun(): Promise<string> {
  const folder = await temporaryFolder("engines-lab");
  const images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 4);
  const terms = "--patch 4 --steps 20 --batch 64 --preprocessing standardize --workers 0";
  const runs = join(folder, "runs");
  const words = ["fit", images, ...terms.split(" "), "-o", join(runs, "short")];
  expect(await run(words, recordEffects())).toBe(0);
  return runs;
}

const text = (words: string): string =>
  `document.body.innerText.includes(${JSON.stringify(words)})`;
/** Expression for an element with this description. */
const labelled = (selector: string, description: string): string =>
  `document.querySelector(${JSON.stringify(`main > div:not([hidden]) ${selector}[aria-label^="${description}"]`)})`;
/** Expression for a loaded image whose description starts like this. */
const picture = (description: string): string =>
  `[...document.images].some((e) => e.alt.startsWith(${JSON.stringify(description)}) && e.naturalWidth > 0)`;
const button = (name: string): string => `//button[normalize-space()='${name}']`;

/** Returns all pixels of a canvas as one number, which differs if one of them does. */
const pixelsOf = (description: string): string => `
  const canvas = ${labelled("canvas", description)};
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [canvas.width, data.reduce((sum, value) => (31 * sum + value) % 1000000007, 7)].join(" ");`;

/** Expression for the last row of the results of Pairs. */
const lastRow = `document.querySelector('[aria-label="Results in numbers"] tbody tr:last-child')`;

interface PanelTask {
  readonly hash: string;
  readonly act: (page: EnginePage) => Promise<void>;
  /** Body of a function that returns the result, as precisely as the page shows it. */
  readonly result: string;
}

const tasks: Readonly<Record<string, PanelTask>> = {
  start: {
    hash: "start",
    act: async (page) => {
      await waitFor(page, text("places; the second response"));
      await page.evaluate(
        `for (const section of document.querySelectorAll(".story-section")) {
           section.scrollIntoView();
           // A figure starts when the section has been drawn.
           for (let frame = 0; frame < 3; frame++) {
             await new Promise((resolve) => requestAnimationFrame(resolve));
           }
         }`,
      );
      await waitFor(page, text("Fitted in"));
      await waitFor(page, labelled("canvas", "Samples of the density"));
      await waitFor(page, text("Right: without"));
    },
    result: pixelsOf("Samples of the density"),
  },
  pairs: {
    hash: "pairs?models=gdn&steps=100",
    act: async (page) => {
      await waitFor(page, text("20,000 pairs."));
      await page.click(button("Fit GDN"));
      await waitFor(page, `${lastRow}.textContent.includes("±")`);
    },
    // All columns but the seconds.
    result: `return [...${lastRow}.querySelectorAll("td")].slice(0, 2).map((e) => e.textContent).join(" ");`,
  },
  patches: {
    hash: "patches?view=samples",
    act: (page) => waitFor(page, labelled("canvas", "Patches of the picture")),
    result: pixelsOf("Patches of the picture"),
  },
  denoise: {
    hash: "denoise?method=marginal",
    act: async (page) => {
      await waitFor(page, picture("noisy"));
      await page.click(button("Denoise"));
      await waitFor(page, picture("Marginal"));
      await waitFor(page, `document.querySelectorAll("table.quality data").length >= 4`);
    },
    // PSNR and SSIM with all digits.
    result: `return [...document.querySelectorAll("table.quality data")].map((e) => e.value).join(" ");`,
  },
  train: {
    hash: "train?steps=40&patch=4",
    act: async (page) => {
      await waitFor(page, text("8 pictures, with room for"));
      await page.click(button("Fit"));
      await waitFor(page, text("Done: 40 of 40 steps"));
      await waitFor(page, labelled("[role=img]", "ΔJ"));
    },
    result: `return [...document.querySelectorAll(".train-outcome dd")].map((e) => e.textContent).join(" ");`,
  },
  runs: {
    hash: "runs?runs=short",
    act: async (page) => {
      await waitFor(page, labelled("canvas", "Filters of short"));
      await waitFor(page, labelled("canvas", "Samples of short"));
    },
    result: pixelsOf("Samples of short"),
  },
};

/** Results of the first engine, by panel. */
const firstResults = new Map<string, string>();

test("every panel has a task", () => {
  expect(Object.keys(tasks)).toEqual(panels.map(({ name }) => name));
});

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
    }
    expect(await page.complaints()).toEqual([]);
  });

  test.for(Object.entries(tasks))(
    "%s: does a task with the result of the other engines, without errors",
    async ([panel, { hash, act, result }], context) => {
      const page = await openLab(context, hash);
      await act(page);
      await shoot(page, panel);
      const shown = await page.evaluate<string>(result);
      expect(shown).toMatch(/\d/);
      if (!firstResults.has(panel)) firstResults.set(panel, shown);
      expect(shown).toBe(firstResults.get(panel));
      expect(await violationsIn(page)).toEqual([]);
      expect(await page.complaints()).toEqual([]);
    },
  );
});
