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
const progress = {
  kind: "progress",
  step: 7,
  rejectedSteps: 0,
  seconds: 1,
  stepsPerSecond: 7,
  records: [],
} as const;

/** Ends as if it was stopped, after a report of the seventh step or before any. */
function stopped(hasSteps: boolean): void {
  vi.mocked(compute).mockImplementationOnce((_job, _input, { onReport = noReport } = {}) => {
    if (hasSteps) onReport(progress);
    return Promise.reject(cancelled);
  });
}

test("a fit that was stopped, and of which nothing can be had, is not running for ever", async () => {
  const training = new Training();
  stopped(true);
  vi.mocked(compute).mockRejectedValueOnce(new Error("The worker that computes has crashed."));
  await training.start(input);
  expect(training.isRunning).toBe(false);
  expect(training.view.value).toMatchObject({
    status: "failed",
    problem: "The worker that computes has crashed.",
  });
});

test("a fit that was stopped before its first step has nothing of the fit before", async () => {
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
  expect(training.canGoOn).toBe(true);
  stopped(false);
  // What the worker has is of the fit before.
  vi.mocked(compute).mockResolvedValue(kept);
  await training.start({ ...input, terms: termsOf(usual, ["b.png"]) });
  expect(training.view.value).toMatchObject({ status: "stopped", step: 0, file: null });
  expect([training.canGoOn, training.isUnsaved]).toEqual([false, false]);
});

test("gone on with and stopped at once, a fit has what it had", async () => {
  const training = new Training();
  const kept = { step: 7, bytes: new Uint8Array(1) };
  for (const from of ["the start", "where it was"] as const) {
    stopped(from === "the start");
    vi.mocked(compute).mockResolvedValueOnce(kept);
    await training.start({ ...input, from });
    expect(training.view.value).toMatchObject({ step: 7, file: { name: "model.safetensors" } });
  }
  expect(training.canGoOn).toBe(true);
});

test("a fit that failed says why, and keeps its last good model", async () => {
  const training = new Training();
  const problem = "The fit failed: 20 of 30 steps were rejected. Try 0.04.";
  const modelFile = new Uint8Array(3);
  const counts = { steps: 30, trainingImages: 1, heldOutImages: 0 };
  vi.mocked(compute).mockResolvedValueOnce({ problem, modelFile, ...counts });
  await training.start(input);
  expect(training.view.value).toMatchObject({ status: "failed", problem, step: 30 });
  expect(await training.keep("model")).toEqual({ step: 30, bytes: modelFile });
});
