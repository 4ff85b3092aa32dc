import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { pngBytes } from "../support/picture-bytes.js";
import { recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";
import { holdWorker } from "./compute-worker.js";
import {
  alert,
  button,
  contentsOf,
  drop,
  expectAccessible,
  fileOf,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
  screenshot,
} from "./in-lab.js";

const dot = pngBytes({ width: 1, height: 1, depth: 8, channels: 1, samples: [99] });
const nothing = Buffer.from("nothing");
const folder = await temporaryFolder("train-panel");
const images = join(folder, "images");
const scenes = [0, 1, 2, 3].map((k) => join(images, `scene${k}.png`));
const terms = ["--patch", "4", "--steps", "400", "--batch", "64", "--seed", "3"];
const address = "#train?photos=none&patch=4&steps=400&batch=64&seed=3";
const runFolder = join(folder, "run");

async function command(...words: string[]): Promise<string> {
  const effects = recordEffects();
  const code = await run(words, effects);
  expect([code, effects.printed.stderr]).toEqual([0, expect.any(String)]);
  return effects.printed.stdout;
}

/** Makes the run of the command that the page must reproduce. */
async function makeRun(): Promise<string> {
  await mkdir(images);
  await writeScenes(images, 4);
  await command("fit", images, ...terms, "--workers", "0", "-o", runFolder);
  return folder;
}

launchBeforeTests({ runs: makeRun });

async function addScenes(page: Page): Promise<void> {
  // Not in the order of their names.
  await drop(page, [scenes[2], scenes[0], scenes[3], scenes[1]]);
  await page.getByText("4 pictures, with room for 9,576 different patches").waitFor();
}

async function download(page: Page, name: string): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
  return contentsOf(file);
}

/** Starts a fit and pauses it within the page, because a small fit ends before a test can act. */
async function startAndPause(page: Page, name: string): Promise<void> {
  await button(page, name).evaluate(
    (start: HTMLButtonElement) =>
      new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          const all = [...document.querySelectorAll("button")];
          const pause = all.find(({ textContent }) => textContent === "Pause");
          if (pause === undefined || pause.disabled) return;
          observer.disconnect();
          pause.click();
          resolve();
        });
        const everything = { subtree: true, childList: true, attributes: true };
        observer.observe(document.body, { ...everything, characterData: true });
        start.click();
      }),
  );
  await page.getByText(/^Paused.*, after step [1-9]\d*$/).waitFor();
}

const ofCommand = (): Promise<Buffer> => readFile(join(runFolder, "model.safetensors"));

describe("the Train panel", { timeout: 3 * limitInMilliseconds }, () => {
  test("trains on dropped pictures, or on the photographs again", async (context) => {
    const { page } = await openLab(context, "#train?photos=black-canyon&patch=4");
    const list = page.getByRole("region", { name: "Pictures" }).getByRole("img");
    await page.getByText("1 picture, with room for").waitFor();
    expect(await list.getAttribute("alt")).toContain("Black Cañon");
    await drop(page, fileOf("no.png", nothing));
    await alert(page, "Cannot read no.png").waitFor();
    expect(await list.getAttribute("alt")).toContain("Black Cañon");
    await button(page, "Close this message").click();
    expect(await page.getByRole("alert").count()).toBe(0);
    // The message names the chosen patches, not the smallest possible.
    await drop(page, fileOf("dot.png", dot));
    await page.getByText("dot.png is 1×1 pixels, smaller than the 4×4 patches.").waitFor();
    await button(page, "Close this message").click();
    await addScenes(page);
    await expect.poll(() => list.count()).toBe(4);
    await page.getByText("gaussianize fit PICTURES/").waitFor();
    await page.getByLabel("Train on").selectOption("the lab’s photographs");
    await page.getByText("1 picture, with room for").waitFor();
    await page.getByLabel("Train on").selectOption("your 4 pictures");
    await page.getByText("4 pictures, with room for").waitFor();
  });

  test.for([1280, 360])(
    "waits with the fit while files are read, and nothing moves, at a width of %i pixels",
    async (width, context) => {
      const viewport = { width, height: 900 };
      const hash = "#train?photos=black-canyon&patch=4";
      const { page, complaints } = await openLab(context, hash, { viewport });
      await page.getByText("1 picture, with room for").waitFor();
      expect(await button(page, "Fit").isEnabled()).toBe(true);
      // Phones show the names of files in the sheet of settings.
      if (width < 960) await button(page, "Settings").click();
      const places = () =>
        Promise.all(
          [button(page, "Fit"), page.getByRole("region", { name: "Fit" })].map((part) =>
            part.boundingBox(),
          ),
        );
      const before = await places();
      const { release } = await holdWorker(page);
      await drop(page, [...scenes, join(runFolder, "model.safetensors")]);
      const status = page.getByRole("status").filter({ hasText: "Reading" });
      await expect
        .poll(() => status.innerText())
        .toBe("Reading 1 of 4 pictures and model.safetensors …");
      expect(await button(page, "Fit").isDisabled()).toBe(true);
      expect(await places()).toEqual(before);
      await expectAccessible(page);
      await screenshot(page, `train-reading-${width}`);
      await release();
      await page.getByText("4 pictures, with room for").waitFor();
      await page.getByRole("region", { name: "Opened model.safetensors" }).waitFor();
      expect(await status.count()).toBe(0);
      expect(await button(page, "Fit").isEnabled()).toBe(true);
      await drop(page, join(runFolder, "config.json"));
      await alert(page, "config.json belongs to the checkpoint of a run").waitFor();
      expect(complaints).toEqual([]);
    },
  );

  test("keeps a checkpoint open until its pictures are added", async (context) => {
    const { page, complaints } = await openLab(context, address);
    const files = ["config.json", "checkpoint.safetensors"].map((name) => join(runFolder, name));
    await drop(page, files);
    await button(page, "Resume from this checkpoint").click();
    await alert(page, "Missing: scene0.png").waitFor();
    const opened = page.getByRole("region", { name: "Opened checkpoint.safetensors" });
    await opened.waitFor();
    await addScenes(page);
    await button(page, "Resume from this checkpoint").click();
    await page.getByText(/^Done: 400 of 400 steps/).waitFor();
    expect(await opened.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("shows figures from the first step on", async (context) => {
    const { page } = await openLab(context, address.replace("steps=400", "steps=20000"));
    await addScenes(page);
    await startAndPause(page, "Fit");
    await expect
      .poll(() => page.getByRole("region", { name: "Fit" }).innerText(), { timeout: 10_000 })
      .toMatch(
        /After [1-9]\d* of 20000 steps\s+ΔJ, training pictures\s+[−\d][\d.]+ nats per pixel[^]*Pictures\s+3 for training, 1 held out\s/,
      );
  });

  test("makes the same file as the command, to the last byte", async (context) => {
    const { page, complaints } = await openLab(context, address);
    await addScenes(page);
    await button(page, "Fit").click();
    await page.getByText(/^Done: 400 of 400 steps$/).waitFor();
    expect(await page.getByRole("region", { name: "Fit" }).innerText()).toMatch(
      /ΔJ, training pictures\s+−[\d.]+ nats per pixel\s+ΔJ, held-out pictures\s+−[\d.]+ nats .*\s+Rejected steps\s+\d+\s+Pictures\s+3 for training, 1 held out/,
    );
    await page.getByRole("img", { name: "Filters after 400 steps" }).waitFor();
    await page.getByRole("img", { name: "Samples of the model" }).waitFor();
    await page.getByRole("img", { name: /held out: −[\d.]+ at step 400/ }).waitFor();
    const bytes = await download(page, "Download the model");
    expect(Buffer.compare(bytes, await ofCommand())).toBe(0);
    await expectAccessible(page);
    await screenshot(page, "train");
    // The command reads it.
    const path = join(folder, "downloaded.safetensors");
    await writeFile(path, bytes);
    expect(await command("inspect", path)).toContain("GDN");
    const options = ["--patches", "500", "--workers", "0"];
    expect(await command("evaluate", path, scenes[0], ...options)).toContain("nats");
    expect(complaints).toEqual([]);
  });

  test("makes the same file as the command with pools of low rank", async (context) => {
    const lowRank = join(folder, "low-rank");
    const few = ["--patch", "4", "--steps", "60", "--batch", "64", "--pool-rank", "3"];
    await command("fit", images, ...few, "--workers", "0", "-o", lowRank);
    const place = "#train?photos=none&patch=4&steps=60&batch=64";
    const { page, complaints } = await openLab(context, place);
    await addScenes(page);
    await page.getByText("More settings").click();
    await page.getByLabel("Rank of the pools (0: full γ)").fill("3");
    await page.getByLabel("Rank of the pools (0: full γ)").press("Tab");
    await expect.poll(() => page.url()).toContain("rank=3");
    await button(page, "Fit").click();
    await page.getByText(/^Done: 60 of 60 steps$/).waitFor();
    const bytes = await download(page, "Download the model");
    expect(Buffer.compare(bytes, await readFile(join(lowRank, "model.safetensors")))).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("makes the same bits when paused, stopped, resumed and hidden", async (context) => {
    const { page, complaints } = await openLab(context, address);
    await addScenes(page);
    await startAndPause(page, "Fit");
    await button(page, "Stop").click();
    await page.getByText(/^Stopped after [1-9]\d* of 400 steps/).waitFor();
    await page.getByRole("img", { name: "Samples of the model" }).waitFor();
    await startAndPause(page, "Resume");
    await button(page, "Resume").click();
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.goBack();
    await page.getByText(/^Done: 400 of 400 steps/).waitFor();
    const bytes = await download(page, "Download the model");
    expect(Buffer.compare(bytes, await ofCommand())).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("shows nothing of the previous fit when stopped before the first step", async (context) => {
    const { page } = await openLab(context, address.replace("steps=400", "steps=5"));
    page.on("dialog", (dialog) => void dialog.accept());
    await addScenes(page);
    await button(page, "Fit").click();
    await page.getByText("Done: 5 of 5 steps").waitFor();
    const { release } = await holdWorker(page);
    await button(page, "Fit").click();
    await button(page, "Stop").click();
    await release();
    await page.getByText("Stopped after 0 of 5 steps").waitFor();
    await page.getByText("Samples appear during the fit.").waitFor();
    expect(await button(page, "Download the model").count()).toBe(0);
    expect(await button(page, "Pause").isDisabled()).toBe(true);
  });

  test("asks before an unsaved fit is lost, but not when it is saved", async (context) => {
    const { page } = await openLab(context, address.replace("steps=400", "steps=5"));
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await addScenes(page);
    await button(page, "Fit").click();
    await page.getByText("Done: 5 of 5 steps").waitFor();
    await button(page, "Fit").click();
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toEqual(["confirm", "beforeunload"]);
    await download(page, "Download the model");
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
    expect(asked).toHaveLength(2);
  });

  test("resumes from a checkpoint of the page and of the command", async (context) => {
    const { page, complaints } = await openLab(context, address);
    await addScenes(page);
    await startAndPause(page, "Fit");
    await button(page, "Stop").click();
    await page.getByText(/^Stopped after [1-9]\d* of 400 steps/).waitFor();
    const buffer = await download(page, "Download a checkpoint");
    const config = join(runFolder, "config.json");
    const other = join(runFolder, "checkpoint.safetensors");
    await drop(page, fileOf("half.safetensors", buffer));
    await button(page, "Resume from this checkpoint").click();
    await page.getByText(/^Done: 400 of 400 steps/).waitFor();
    const first = await download(page, "Download the model");
    expect(Buffer.compare(first, await ofCommand())).toBe(0);
    await drop(page, other);
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("config.json");
    await drop(page, [config, other]);
    await page.getByText(/; \d+ of 400 steps done/).waitFor();
    await page
      .getByText("gaussianize fit PICTURES/ --patch 4 --steps 400 --batch 64 --seed 3 -o RUN")
      .waitFor();
    await button(page, "Resume from this checkpoint").click();
    await page.getByText(/^Done: 400 of 400 steps/).waitFor();
    const second = await download(page, "Download the model");
    expect(Buffer.compare(second, await ofCommand())).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("shows the progress, pictures and command of a checkpoint", async (context) => {
    const place = "#train?patch=4&steps=3000&batch=64&rank=3";
    const { page, complaints } = await openLab(context, place);
    await page.getByText("8 pictures, with room for").waitFor();
    await startAndPause(page, "Fit");
    await button(page, "Stop").click();
    const stopped = await page.getByText(/^Stopped after [1-9]\d* of 3000 steps/).innerText();
    const buffer = await download(page, "Download a checkpoint");
    // A second visit with other settings.
    const again = await openLab(context, "#train");
    const { page: later } = again;
    await drop(later, fileOf("half.safetensors", buffer));
    const opened = later.getByRole("region", { name: "Opened half.safetensors" });
    const step = /\d+/.exec(stopped)?.[0] ?? "";
    await expect
      .poll(() => opened.innerText())
      .toContain(
        `gdn, 4×4 pixels, pools of rank 3, 8 pictures; ${step} of 3000 steps done. To resume, it needs the same pictures: the lab’s eight photographs.`,
      );
    const command =
      "gaussianize fit --embedded --patch 4 --steps 3000 --batch 64 --pool-rank 3 -o RUN";
    const commands = later.locator(".train-command code");
    expect(await commands.allInnerTexts()).toEqual([command]);
    await expectAccessible(later);
    await later.getByText("8 pictures, with room for").waitFor();
    await startAndPause(later, "Resume from this checkpoint");
    await expect
      .poll(() => commands.allInnerTexts())
      .toEqual([command, "gaussianize fit --embedded --steps 1000 -o RUN"]);
    expect([complaints, again.complaints]).toEqual([[], []]);
  });

  test("shows models, and rejects damaged files with a message", async (context) => {
    const viewport = { width: 360, height: 800 };
    const { page } = await openLab(context, address, { colorScheme: "dark", viewport });
    const whole = await ofCommand();
    await drop(page, join(runFolder, "model.safetensors"));
    await page.getByRole("img", { name: "Samples of model.safetensors" }).waitFor();
    expect(await page.getByRole("region", { name: /^Opened/ }).innerText()).toContain("4×4 pixels");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await expectAccessible(page);
    await screenshot(page, "train-phone-dark");
    const cut = whole.subarray(0, whole.length / 2);
    await drop(page, fileOf("cut.safetensors", cut));
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("cut.safetensors");
    // The previous model stays.
    await page.getByRole("img", { name: "Samples of model.safetensors" }).waitFor();
    const png = await readFile(scenes[0]);
    await drop(page, [
      fileOf("no.png", nothing),
      fileOf("half.png", png.subarray(0, 60)),
      fileOf("good.png", png),
      fileOf("huge.png", hugePng(png)),
    ]);
    await page.getByText("1 picture, with room for").waitFor();
    await expect.poll(() => page.getByRole("alert").allInnerTexts()).toHaveLength(3);
    const sentences = (await page.getByRole("alert").allInnerTexts()).join(" ");
    for (const name of ["no.png", "half.png", "huge.png: it has 60000×60000 pixels"]) {
      expect(sentences).toContain(`Cannot read ${name}`);
    }
    await button(page, "Remove good.png").click();
    await page.getByText("No pictures yet").waitFor();
    expect(await button(page, "Fit").isDisabled()).toBe(true);
  });
});

/** Changes the size in the header. */
function hugePng(png: Buffer): Buffer {
  const copy = Buffer.from(png);
  copy.writeUInt32BE(60_000, 16);
  copy.writeUInt32BE(60_000, 20);
  return copy;
}
