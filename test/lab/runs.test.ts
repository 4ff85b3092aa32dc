import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { readPatchModel } from "../../node/model-files.js";
import { openRunner } from "../../node/worker-threads.js";
import { sample } from "../../src/density/synthesis.js";
import { sampleMosaic } from "../../src/figures/sample-mosaic.js";
import { recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";
import {
  alert,
  button,
  drop,
  expectAccessible,
  fileOf,
  launchBeforeTests,
  limitInMilliseconds,
  openLab,
  screenshot,
} from "./in-lab.js";
import { holdWorker } from "./compute-worker.js";
import { expectNoJumps } from "./jumps.js";

const folder = await temporaryFolder("runs-panel");
const runs = join(folder, "runs");

async function fit(...words: string[]): Promise<void> {
  const effects = recordEffects();
  const code = await run(["fit", ...words], effects);
  expect([code, effects.printed.stderr]).toEqual([0, expect.any(String)]);
}

/** Makes a fit of twenty steps, and an unfinished copy with other settings. */
async function makeRuns(): Promise<string> {
  const images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 4);
  const terms = "--patch 4 --steps 20 --batch 64 --preprocessing standardize --workers 0";
  await fit(images, ...terms.split(" "), "-o", join(runs, "whole"));
  await cp(join(runs, "whole"), join(runs, "deep/half"), { recursive: true });
  await rm(join(runs, "deep/half/model.safetensors"));
  const config = JSON.parse(await readFile(join(runs, "whole/config.json"), "utf8")) as object;
  await writeFile(
    join(runs, "deep/half/config.json"),
    JSON.stringify({ ...config, seed: 2, learningRate: 0.5 }),
  );
  return runs;
}

launchBeforeTests({ runs: makeRuns });

/** A row of the table of runs; legends of charts have rows, too. */
const rowOf = (page: Page, name: RegExp) =>
  page.getByRole("region", { name: "Table of runs" }).getByRole("row", { name });
const boxOf = (page: Page, name: string) => page.getByRole("checkbox", { name });
const pictureOf = (page: Page, name: string | RegExp) => page.getByRole("img", { name });

describe("runs in Chromium", { timeout: 2 * limitInMilliseconds }, () => {
  test("nothing jumps until the first results appear", async (context) => {
    const { page } = await openLab(context, "#runs?runs=whole");
    await expectNoJumps(page, async () => {
      await pictureOf(page, /held out: .* at step 20/).waitFor();
      await pictureOf(page, "Samples of whole").waitFor();
    });
  });

  test("are listed, compared, and shown with filters and samples", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=whole");
    const row = rowOf(page, /whole/);
    await expect.poll(() => row.innerText()).toMatch(/done\s+20 of 20\s+–\s+[−\d.]+\s+[−\d.]+/);
    await pictureOf(page, "Filters of whole").waitFor();
    await boxOf(page, "deep/half").check();
    await expect.poll(() => new URL(page.url()).hash).toBe("#runs?runs=whole%2Cdeep%252Fhalf");
    const settings = page.getByRole("region", { name: "Settings that differ" });
    await expect
      .poll(() => settings.innerText())
      .toMatch(/learning rate\s+[\d.]+\s+0\.5\s+seed\s+1\s+2/);
    await pictureOf(page, /deep\/half, held out: .* at step 20/).waitFor();
    await expectAccessible(page);
    await screenshot(page, "runs");
    await page.getByLabel("Filters and samples of").selectOption("deep/half");
    await page.getByText("deep/half has no model yet").waitFor();
    expect(complaints).toEqual([]);
  });

  test("samples have the same pixels as in Node", async (context) => {
    const { page } = await openLab(context, "#runs?runs=whole&seed=5");
    const canvas = pictureOf(page, "Samples of whole");
    await canvas.waitFor();
    const drawn = await canvas.evaluate(async (element: HTMLCanvasElement) => {
      const { width, height } = element;
      const { data } = element.getContext("2d")!.getImageData(0, 0, width, height);
      const greys = data.filter((_, k) => k % 4 === 0);
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", greys));
      return { width, height, hash: Array.from(hash) };
    });
    const model = await readPatchModel(join(runs, "whole/model.safetensors"));
    const runner = await openRunner({ workers: 0 });
    const { width, height, pixels } = sampleMosaic(
      await sample(runner, model.transform, 36, 5),
      model,
    );
    await runner.close();
    const greys = Uint8ClampedArray.from(pixels, (value) => 255 * value);
    const hash = Array.from(createHash("sha256").update(greys).digest());
    expect(drawn).toEqual({ width, height, hash });
  });

  test("new records appear by themselves", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=deep%252Fhalf&quantity=loss");
    const chart = pictureOf(page, /deep\/half: .* at step 20;/);
    await chart.waitFor();
    const top = await page.getByRole("table").first().boundingBox();
    const figures = { meanLogProb: 1.25, negentropyDifferencePerDimension: -0.4321 };
    const record = { step: 21, ...figures, seconds: 99 };
    await appendFile(join(runs, "deep/half/metrics.jsonl"), `${JSON.stringify(record)}\n`);
    await pictureOf(page, /deep\/half: −1\.2500 at step 21;/).waitFor();
    await rowOf(page, /−0\.4321/).waitFor();
    expect(await page.getByRole("table").first().boundingBox()).toEqual(top);
    expect(complaints).toEqual([]);
  });

  test("the run shown by default stays when another one is written", async (context) => {
    const { page } = await openLab(context, "#runs");
    const checked = page.getByRole("checkbox", { checked: true });
    await checked.waitFor();
    const name = await page
      .getByRole("region", { name: "Table of runs" })
      .getByRole("row")
      .filter({ has: checked })
      .getByRole("rowheader")
      .innerText();
    context.onTestFinished(() => rm(join(runs, "newer"), { recursive: true }));
    await cp(join(runs, "whole"), join(runs, "newer"), { recursive: true });
    await boxOf(page, "newer").waitFor();
    expect(await checked.count()).toBe(1);
    expect(await boxOf(page, name).isChecked()).toBe(true);
  });

  test("asks static servers once, and a lost server until it returns", async (context) => {
    const { page } = await openLab(context, "#train?photos=none");
    await page.clock.install();
    let asked = 0;
    let answer: { readonly status: number } | null = { status: 404 };
    await page.route("**/api/runs", async (route) => {
      asked++;
      await (answer ? route.fulfill({ ...answer, body: "<p>No" }) : route.continue());
    });
    const open = (title: string) =>
      page.getByRole("navigation").getByRole("link", { name: title }).click();
    await open("Runs");
    await page.getByText("This page was opened without a folder").waitFor();
    await page.clock.runFor(20_000);
    expect(asked).toBe(1);
    await open("Train");
    answer = { status: 502 };
    await open("Runs");
    await alert(page, "The page keeps trying").waitFor();
    const next = () => page.clock.runFor(20_000);
    answer = null;
    await next();
    await rowOf(page, /whole/).waitFor();
    // A known server may return, whatever answers in its place.
    answer = { status: 404 };
    await next();
    await page.getByText("This page was opened without a folder").waitFor();
    answer = null;
    await next();
    await rowOf(page, /whole/).waitFor();
  });

  test("a running fit is shown with its filters, and then as interrupted", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=live");
    const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
    const terms = ["--patch", "4", "--steps", "100000", "--batch", "64", "--workers", "0"];
    const more = ["--preprocessing", "standardize", "--held-out", "0", "-o", join(runs, "live")];
    const live = spawn(process.execPath, [main, "fit", join(folder, "images"), ...terms, ...more]);
    context.onTestFinished(() => void live.kill("SIGKILL"));
    const row = rowOf(page, /live/);
    await expect.poll(() => row.innerText(), { timeout: limitInMilliseconds }).toMatch(/running/);
    await pictureOf(page, "Filters of live").waitFor();
    await page.getByText(/^Filters of live \(GDN\) after [\d,]+ steps/).waitFor();
    await pictureOf(page, "Samples of live").waitFor();
    live.kill("SIGINT");
    await expect
      .poll(() => row.innerText(), { timeout: limitInMilliseconds })
      .toMatch(/interrupted/);
    expect(complaints).toEqual([]);
  });

  test("a model of whole images is shown with filters and a sampled image", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=%2C");
    const images = join(folder, "images");
    const terms = ["--cascade", "small", "--steps", "2", "--workers", "0", "--held-out", "0"];
    await fit(images, ...terms, "-o", join(folder, "cascade"));
    await drop(page, join(folder, "cascade/model.safetensors"));
    await pictureOf(page, "Filters of model.safetensors").waitFor();
    await page.getByText("A whole image from its density, seed 1.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("dropped metrics and models are shown, and damaged ones rejected with a message", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=%2C");
    await drop(page, join(runs, "whole/metrics.jsonl"));
    await pictureOf(page, /metrics\.jsonl: .* at step 20/).waitFor();
    await drop(page, join(runs, "whole/model.safetensors"));
    await pictureOf(page, "Samples of model.safetensors").waitFor();
    const whole = await readFile(join(runs, "whole/model.safetensors"));
    const buffer = whole.subarray(0, whole.length / 2);
    await drop(page, fileOf("cut.safetensors", buffer));
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("cut.safetensors");
    await drop(page, join(runs, "whole/checkpoint.safetensors"));
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("not a model");
    await drop(page, fileOf("x.jsonl", Buffer.from("{}\n[")));
    await page.getByText("x.jsonl contains no metrics").waitFor();
    expect(complaints).toEqual([]);
  });

  test("dropped files are shown under their own names, and can be closed", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=whole");
    const buffer = await readFile(join(runs, "whole/model.safetensors"));
    await pictureOf(page, "Samples of whole").waitFor();
    await drop(page, fileOf("a.safetensors", buffer));
    await pictureOf(page, "Samples of a.safetensors").waitFor();
    const of = page.getByLabel("Filters and samples of");
    expect(await of.locator("option:checked").innerText()).toBe("a.safetensors");
    await of.selectOption("whole");
    await pictureOf(page, "Samples of whole").waitFor();
    expect(await of.count()).toBe(0);
    await drop(page, fileOf("a.safetensors", buffer));
    await pictureOf(page, "Samples of a.safetensors").waitFor();
    // Filters of one model never appear under the name of the next.
    const filters = pictureOf(page, /^Filters of/);
    await filters.evaluate((canvas) => {
      canvas.setAttribute("data-of", "a");
    });
    await drop(page, fileOf("b.safetensors", buffer));
    await pictureOf(page, "Filters of b.safetensors").waitFor();
    expect(await filters.getAttribute("data-of")).toBeNull();
    // The file is damaged, so the previous model stays.
    const cut = buffer.subarray(0, buffer.length / 2);
    await drop(page, fileOf("b.safetensors", cut));
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("b.safetensors");
    await pictureOf(page, "Filters of b.safetensors").waitFor();
    await button(page, "Close this message").click();
    expect(await page.getByRole("alert").count()).toBe(0);
    await drop(page, join(runs, "whole/metrics.jsonl"));
    await pictureOf(page, /metrics\.jsonl: .* at step 20/).waitFor();
    await expectAccessible(page);
    await button(page, "Close b.safetensors").click();
    await pictureOf(page, "Samples of whole").waitFor();
    await button(page, "Close metrics.jsonl").click();
    await page
      .getByRole("img", { name: /^ΔJ.*\. whole: [^;]*; whole, held out: [^;]*$/ })
      .waitFor();
    expect(await page.getByRole("list", { name: "Dropped files" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("files dropped together are read one after the other, and named meanwhile", async (context) => {
    const { page, complaints } = await openLab(context, "#runs?runs=whole%2Cdeep%252Fhalf");
    await pictureOf(page, "Samples of whole").waitFor();
    const metrics = await readFile(join(runs, "whole/metrics.jsonl"));
    const model = await readFile(join(runs, "whole/model.safetensors"));
    const { release } = await holdWorker(page);
    await drop(page, [
      fileOf("first.jsonl", metrics),
      fileOf("late.safetensors", model),
      fileOf("second.safetensors", model),
    ]);
    const status = page.getByRole("status").filter({ hasText: "Reading" });
    await status.filter({ hasText: "Reading first.jsonl …" }).waitFor();
    await screenshot(page, "runs-reading");
    // The user chooses another model meanwhile, so the file is discarded.
    await page.getByLabel("Filters and samples of").selectOption("deep/half");
    await page.getByText("deep/half has no model yet").waitFor();
    await release();
    await drop(page, fileOf("after.jsonl", metrics));
    await pictureOf(page, /after\.jsonl: .* at step 20/).waitFor();
    expect(await status.count()).toBe(0);
    expect(await page.getByText("deep/half has no model yet").count()).toBe(1);
    await drop(page, [fileOf("one.safetensors", model), fileOf("two.safetensors", model)]);
    await pictureOf(page, "Samples of one.safetensors").waitFor();
    await page.getByText("two.safetensors was skipped").waitFor();
    expect(complaints).toEqual([]);
  });

  test("fits a phone, dark", async (context) => {
    const viewport = { width: 360, height: 800 };
    const { page } = await openLab(context, "#runs?runs=whole", { colorScheme: "dark", viewport });
    await pictureOf(page, "Samples of whole").waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(360);
    await expectAccessible(page);
    await screenshot(page, "runs-phone-dark");
  });
});
