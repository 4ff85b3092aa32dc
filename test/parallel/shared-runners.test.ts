import { describe, expect, test } from "vitest";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import type { RunnerOptions } from "../../src/parallel/open-runner.js";
import { SharedRunners } from "../../src/parallel/shared-runners.js";

/** Records the opened runners. */
function shelf() {
  const opened: RunnerOptions[] = [];
  const runners = new SharedRunners((options) => {
    opened.push(options);
    return Promise.resolve(new InlineRunner(referenceKernels));
  });
  return { runners, opened };
}

describe("shared runners", () => {
  test("open once for all callers with the same options, on first use", async () => {
    const { runners, opened } = shelf();
    const shares = [runners.share(), runners.share({}), runners.share({ workers: 2 })];
    expect(opened).toEqual([]);
    const [first, second, other] = await Promise.all(shares.map((share) => share.use()));
    expect(first).toBe(second);
    expect(other).not.toBe(first);
    expect(opened).toEqual([{}, { workers: 2 }]);
    expect(await shares[0].use()).toBe(first);
  });

  test("close with the last share, and open again for the next", async () => {
    const { runners, opened } = shelf();
    const [a, b] = [runners.share(), runners.share()];
    const runner = await a.use();
    await a.release();
    await a.release();
    expect(runner.isClosed).toBe(false);
    await expect(a.use()).rejects.toThrow("This density was closed.");
    expect(await b.use()).toBe(runner);
    await b.release();
    expect(runner.isClosed).toBe(true);
    expect((await runners.share().use()).isClosed).toBe(false);
    expect(opened).toHaveLength(2);
  });

  test("are replaced after a loss, and opened again after a failed start", async () => {
    const { runners } = shelf();
    const share = runners.share();
    const lost = await share.use();
    await lost.close();
    const [one, two] = await Promise.all([share.use(), share.use()]);
    expect(one).toBe(two);
    expect(one.isClosed).toBe(false);

    let attempts = 0;
    const failing = new SharedRunners(() => {
      attempts++;
      if (attempts === 1) return Promise.reject(new Error("no threads left"));
      return Promise.resolve(new InlineRunner(referenceKernels));
    });
    const second = failing.share();
    await expect(second.use()).rejects.toThrow("no threads left");
    expect((await second.use()).size).toBe(1);
    await second.release();
  });
});
