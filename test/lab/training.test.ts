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
  vi.unstubAllGlobals();
});

const usual = readSettings(trainSettings, { panel: "train", values: new Map() });
const input = { pictures: [], terms: termsOf(usual, ["a.png"]), from: "the start" } as const;

test("a fit that was stopped, and of which nothing can be had, is not running for ever", async () => {
  const training = new Training();
  vi.mocked(compute).mockImplementation((job) =>
    Promise.reject(
      job === "train"
        ? new DOMException("Cancelled.", "AbortError")
        : new Error("The worker that computes has crashed."),
    ),
  );
  await training.start(input);
  expect(training.isRunning).toBe(false);
  expect(training.view.value).toMatchObject({
    status: "failed",
    problem: "The worker that computes has crashed.",
  });
});
