import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { compute } from "../../lab/compute/compute.js";
import { readSettings } from "../../lab/address.js";
import { termsOf, trainSettings } from "../../lab/panels/train/train-settings.js";
import { Training } from "../../lab/panels/train/training.js";

vi.mock(import("../../lab/compute/compute.js"), async (original) => ({
  ...(await original()),
  compute: vi.fn(),
}));

beforeEach(() => {
  vi.stubGlobal("addEventListener", vi.fn());
  vi.stubGlobal("removeEventListener", vi.fn());
});
afterEach(() => {
  vi.mocked(compute).mockReset();
  vi.unstubAllGlobals();
});

const usual = readSettings(trainSettings, { panel: "train", values: new Map() });
const input = { pictures: [], terms: termsOf(usual, ["a.png"]), from: "the start" } as const;

const cancelled = new DOMException("Cancelled.", "AbortError");
const noReport = (): void => undefined;
const progress = { step: 7, rejectedSteps: 0, stepsPerSecond: 7, records: [] };

/** Ends the next job as stopped, after a report of the seventh step or before any. */
function stopped(hasSteps: boolean): void {
  vi.mocked(compute).mockImplementationOnce((_job, _input, { onReport = noReport } = {}) => {
    if (hasSteps) onReport(progress);
    return Promise.reject(cancelled);
  });
}

test("a stopped fit whose model cannot be read has failed", async () => {
  const training = new Training();
  stopped(true);
  vi.mocked(compute).mockRejectedValueOnce(new Error("The compute worker crashed."));
  await training.start(input);
  expect(training.isRunning).toBe(false);
  expect(training.view.value).toMatchObject({
    status: "failed",
    problem: "The compute worker crashed.",
  });
});

test("a fit stopped before its first step shows nothing of the previous one", async () => {
  const training = new Training();
  const kept = { step: 7, bytes: new Uint8Array(1) };
  stopped(true);
  vi.mocked(compute).mockResolvedValueOnce(kept);
  await training.start(input);
  expect(training.view.value).toMatchObject({
    status: "stopped",
    step: 7,
    file: { name: "model.safetensors" },
  });
  expect(training.canResume).toBe(true);
  stopped(false);
  // The worker still holds the previous fit.
  vi.mocked(compute).mockResolvedValue(kept);
  await training.start({ ...input, terms: termsOf(usual, ["b.png"]) });
  expect(training.view.value).toMatchObject({ status: "stopped", step: 0, file: null });
  expect([training.canResume, training.isUnsaved]).toEqual([false, false]);
});

test("a fit that is resumed and stopped at once keeps its state", async () => {
  const training = new Training();
  const kept = { step: 7, bytes: new Uint8Array(1) };
  for (const from of ["the start", "where it was"] as const) {
    stopped(from === "the start");
    vi.mocked(compute).mockResolvedValueOnce(kept);
    await training.start({ ...input, from });
    expect(training.view.value).toMatchObject({ step: 7, file: { name: "model.safetensors" } });
  }
  expect(training.canResume).toBe(true);
});

test("a failed fit says why, and keeps its last good model", async () => {
  const training = new Training();
  const problem = "The fit failed: 20 of 30 steps were rejected. Try 0.04.";
  const modelFile = new Uint8Array(3);

  vi.mocked(compute).mockResolvedValueOnce({ problem, modelFile, steps: 30 });
  await training.start(input);
  expect(training.view.value).toMatchObject({ status: "failed", problem, step: 30 });
  expect(await training.keep("model")).toEqual({ step: 30, bytes: modelFile });
});
