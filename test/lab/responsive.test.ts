import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { type TestContext, describe, expect, test } from "vitest";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import type { ImageModel } from "../../src/density/model-files/model.js";
import { startingConvolution } from "../../src/transforms/convolution.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { temporaryFolder } from "../support/folders.js";
import { button, drop, launchBeforeTests, openLab } from "./in-lab.js";

launchBeforeTests();

const minute = 60_000;
/** CPU time in milliseconds. */
const mostPerTask = 100;
/**
 * The same for tasks that are not the lab's: garbage collections, and messages of the test driver,
 * whose script now and then takes over 100 ms to load.
 */
const mostPerForeignTask = 300;
const foreignSources = ["v8/src/heap/", "ipc/ipc_mojo_bootstrap.cc"];

interface MainThreadTask {
  readonly cpuInMilliseconds: number;
  /** Source according to Chromium. */
  readonly from: string;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Clock time in microseconds. */
  readonly dur?: number;
  /** CPU time in microseconds. Chromium omits it for tasks of about one microsecond. */
  readonly tdur?: number;
  readonly args: { readonly name?: string; readonly src_file?: string; readonly src_func?: string };
}

const taskName = "ThreadControllerImpl::RunTask";
const endMark = "end of the measurement";

/**
 * Returns the tasks of the main thread during `act`, the longest first, with their CPU time
 * (`tdur` in Chromium's trace). It does not grow while other programs use the cores.
 */
async function tasksWhile(
  page: Page,
  act: () => Promise<void>,
): Promise<readonly MainThreadTask[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", "__metadata"] });
  let trace: Buffer;
  try {
    await act();
    await page.evaluate((name) => performance.mark(name), endMark);
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const end = traceEvents.find(({ name }) => name === endMark);
  // A full buffer loses the rest.
  if (!end) throw new Error("The trace ends before the measurement.");
  return tasksIn(
    traceEvents.filter(({ name, ph, pid, tid }) => {
      return name === taskName && ph === "X" && pid === end.pid && tid === end.tid;
    }),
  );
}

function isTooLong({ cpuInMilliseconds, from }: MainThreadTask): boolean {
  const isForeign = foreignSources.some((source) => from.includes(source));
  return cpuInMilliseconds > (isForeign ? mostPerForeignTask : mostPerTask);
}

/** Tasks without CPU time count with their clock time, which is never shorter. */
function tasksIn(events: readonly TraceEvent[]): readonly MainThreadTask[] {
  const measured = events.filter(({ tdur }) => tdur !== undefined).length;
  if (2 * measured <= events.length)
    throw new Error(`The trace has the CPU time of only ${measured} of ${events.length} tasks.`);
  return events
    .map(({ tdur, dur = NaN, args }) => ({
      cpuInMilliseconds: (tdur ?? dur) / 1000,
      from: `${args.src_func ?? "?"} in ${args.src_file ?? "?"}`,
    }))
    .sort((a, b) => b.cpuInMilliseconds - a.cpuInMilliseconds);
}

async function expectResponsive(
  context: TestContext,
  page: Page,
  act: () => Promise<void>,
): Promise<void> {
  // Playwright's own script, which takes up to 100 ms to load on the page, comes before.
  await page.locator("body").evaluate(() => undefined);
  const tasks = await tasksWhile(page, act);
  const words = tasks
    .slice(0, 5)
    .map(({ cpuInMilliseconds, from }) => `${cpuInMilliseconds.toFixed(1)} ms: ${from}`);
  await context.annotate(`longest of ${tasks.length} tasks: ${words.join("; ")}`);
  expect(words.filter((_, k) => isTooLong(tasks[k]))).toEqual([]);
}

/** 256 filters of 48×48 pixels, and a second stage over 9×9 locations, at the start of a fit. */
function paperSizedModel(): ImageModel {
  const dimension = 256;
  const gdn = startingGdn({ structure: "column", dimension });
  const stages = [
    startingConvolution({ maps: dimension, width: 3 }),
    gdn,
    startingConvolution({ maps: dimension, width: 9 }),
    gdn,
  ];
  const about = {
    patch: { width: 16, height: 16, luminance: "linear", black: 0, white: 1 },
  } as const;
  return { transform: imageCascade({ stride: 16, stages }), about };
}

describe("no task on the page takes more than 100 ms", { timeout: 3 * minute }, () => {
  test("and a longer one is detected", async (context) => {
    const { page } = await openLab(context, "#runs");
    const tasks = await tasksWhile(page, () =>
      page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            // A task of the page, unlike this script of the driver. It takes work, not time: on a
            // busy machine a task gets little of the time.
            setTimeout(() => {
              let sum = 0;
              for (let k = 0; k < 4e8; k++) sum = (31 * sum + k) | 0;
              Object.assign(globalThis, { sum });
              resolve();
            });
          }),
      ),
    );
    expect(tasks.some(isTooLong)).toBe(true);
    expect(foreignSources.some((source) => tasks[0].from.includes(source))).toBe(false);
  });

  test("the start page, while its figures are fitted", async (context) => {
    const { page } = await openLab(context, "#runs");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      await page.getByRole("link", { name: "Start" }).click();
      await page.getByRole("heading", { name: "Remove noise" }).waitFor();
      for (const section of await page.locator(".story-section").all()) {
        await section.scrollIntoViewIfNeeded();
      }
      await page.getByText("Fitted in").waitFor();
      await page.getByRole("button", { name: "Play again" }).click();
      await page.getByText("Right: without").waitFor();
    });
  });

  test("Pairs, while four models are fitted", async (context) => {
    const { page } = await openLab(context, "#runs");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      await page.getByRole("link", { name: "Pairs" }).click();
      await page.getByText("20,000 pairs.").waitFor();
      await button(page, "Fit all").click();
      const files = page.getByRole("button", { name: /as a model file$/, disabled: false });
      await expect.poll(() => files.count(), { timeout: 2 * minute }).toBe(4);
    });
  });

  test("Denoise, with a picture of six megapixels", async (context) => {
    const path = join(await temporaryFolder("responsive"), "large.jpg");
    const [{ path: photograph }] = embeddedPhotographs();
    await sharp(photograph).resize(3000, 2000, { fit: "fill" }).jpeg().toFile(path);
    const { page } = await openLab(context, "#denoise");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      // From disk, because playwright decodes buffers on the page.
      await drop(page, path);
      await page.getByText("3000×2000 pixels, colour").waitFor();
      await page.getByRole("combobox", { name: "Size" }).selectOption("four");
      await button(page, "Denoise").click();
      await page.getByText(/GDN, three rounds: Denoising: brightness/).waitFor();
      await button(page, "Cancel").click();
      await page.getByRole("combobox", { name: "Part" }).selectOption("512");
      await page.getByText("512×512 of 3000×2000").waitFor();
      await page.getByRole("tab", { name: "Marginal" }).click();
      await button(page, "Denoise").click();
      await page.locator('.comparison img[alt="Marginal"]').waitFor();
    });
  });

  test("Patches, with a model of whole images of the paper's size", async (context) => {
    const path = join(await temporaryFolder("responsive"), "whole.safetensors");
    await writeFile(path, encodeModel(paperSizedModel()));
    const { page } = await openLab(context, "#patches");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      await drop(page, path);
      await page.getByRole("listbox", { name: "Filters of whole.safetensors" }).waitFor();
      await page.getByRole("listbox", { name: "Filters that normalise it" }).waitFor();
      await page.getByRole("combobox", { name: "Show" }).selectOption("second");
      await page.getByRole("img", { name: "Receptive fields of whole.safetensors" }).waitFor();
      await page.getByRole("tab", { name: "Samples" }).click();
      await page.getByRole("img", { name: "Sample of whole.safetensors" }).waitFor();
      await page.getByRole("tab", { name: "Your picture" }).click();
      await page.getByRole("combobox", { name: "Region" }).selectOption("256");
      await page.getByRole("img", { name: "Likelihood map" }).waitFor();
    });
  });

  test("Train, while a model is fitted", async (context) => {
    const { page } = await openLab(context, "#train?steps=300&batch=128");
    page.setDefaultTimeout(2 * minute);
    await expectResponsive(context, page, async () => {
      await page.getByText("8 pictures, with room for").waitFor();
      await button(page, "Fit").click();
      await page.getByRole("img", { name: "Samples of the model" }).waitFor();
    });
  });
});
