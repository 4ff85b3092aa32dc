import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FromCompute, ToCompute } from "../../lab/compute/protocol.js";

/** Replaces the worker of the browser; the test sends its messages. */
class SilentWorker extends EventTarget {
  static readonly made: SilentWorker[] = [];
  readonly posted: ToCompute[] = [];
  isTerminated = false;
  constructor() {
    super();
    SilentWorker.made.push(this);
  }
  postMessage(message: ToCompute): void {
    this.posted.push(message);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  say(data: FromCompute): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

const { made } = SilentWorker;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("Worker", SilentWorker);
  vi.resetModules();
  made.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a compute worker that falls silent while it opens its own workers", () => {
  test("is replaced, and the new one gets its jobs, also held and cancelled ones", async () => {
    const { compute } = await import("../../lab/compute/compute.js");
    const abort = new AbortController();
    const first = compute("machine", null);
    const second = compute("machine", null, { isHeld: signal(true), signal: abort.signal });
    const cancelled = second.catch((error: unknown) => error);
    made[0].say({ type: "opening" });
    vi.advanceTimersByTime(2900);
    made[0].say({ type: "opening" });
    vi.advanceTimersByTime(2900);
    expect(made).toHaveLength(1);
    abort.abort();
    vi.advanceTimersByTime(200);
    expect(made.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
    const started = (id: number) => ({ type: "start", id, job: "machine", input: null });
    expect(made[1].posted).toEqual([
      started(1),
      started(2),
      { type: "hold", id: 2, isHeld: true },
      { type: "cancel", id: 2 },
    ]);
    made[1].say({ type: "open" });
    made[1].say({ type: "done", id: 1, value: { workers: 7 } });
    expect(await first).toEqual({ workers: 7 });
    made[1].say({
      type: "failed",
      id: 2,
      problem: { code: "interrupted", message: "Cancelled.", isCancelled: true },
    });
    expect(await cancelled).toMatchObject({ name: "AbortError" });
  });

  test("is replaced three times, with twice the patience each time, and then fails", async () => {
    const { compute } = await import("../../lab/compute/compute.js");
    const failure = compute("machine", null).catch((error: unknown) => error);
    for (const [k, patience] of [3000, 6000, 12_000, 24_000].entries()) {
      made[k].say({ type: "opening" });
      vi.advanceTimersByTime(patience - 1);
      expect(made[k].isTerminated).toBe(false);
      vi.advanceTimersByTime(1);
      expect(made[k].isTerminated).toBe(true);
    }
    expect(made).toHaveLength(4);
    expect(await failure).toMatchObject({ code: "worker-failed" });
  });

  test("is kept once they are open, however long its jobs take", async () => {
    const { compute } = await import("../../lab/compute/compute.js");
    const job = compute("machine", null);
    made[0].say({ type: "opening" });
    made[0].say({ type: "open" });
    vi.advanceTimersByTime(100_000);
    made[0].say({ type: "done", id: 1, value: { workers: 2 } });
    expect(await job).toEqual({ workers: 2 });
    expect(made).toHaveLength(1);
  });
});
