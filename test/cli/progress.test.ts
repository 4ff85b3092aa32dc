import { describe, expect, test } from "vitest";
import { Progress, type ProgressOptions } from "../../cli/progress.js";
import { recordEffects } from "../support/commands.js";

/** A progress line on a clock that stands at `seconds` when a report comes. */
function timed(total: number, options: ProgressOptions = {}) {
  const effects = recordEffects();
  let clock = 0;
  const progress = new Progress({ ...effects, now: () => 1000 * clock }, "work", total, options);
  return (seconds: number, done: number): string => {
    clock = seconds;
    const before = effects.printed.stderr.length;
    progress.reportAs(done, () => `${done} done`);
    return effects.printed.stderr.slice(before);
  };
}

describe("Progress", () => {
  test("does not count the time before the first piece of work", () => {
    // A large picture is read for 60 s; then a millionth of it is done each millisecond.
    const lineAt = timed(1e6);
    expect(lineAt(60, 10)).toBe("10 done\n");
    expect(lineAt(70, 10_010)).toBe("10010 done\n");
    expect(lineAt(110, 50_010)).toBe("50010 done, 15 min 50 s left\n");
  });

  test("shows no time left before a fiftieth is done or 20 s are measured", () => {
    const lineAt = timed(1e6);
    lineAt(0, 0);
    expect(lineAt(6, 19_000)).toBe("19000 done\n");
    expect(lineAt(12, 20_000)).toBe("20000 done, 9 min 48 s left\n");
    const slowLineAt = timed(1e6);
    slowLineAt(0, 0);
    expect(slowLineAt(19, 100)).toBe("100 done\n");
    expect(slowLineAt(25, 125)).toBe("125 done, 55 h 32 min left\n");
  });

  test("counts from its own start if the first report comes late", () => {
    expect(timed(100)(10, 50)).toBe("50 done, 10 s left\n");
  });

  test("expects more time of units that take longer", () => {
    // Ten units of one second, then ten of nine seconds.
    const lineAt = timed(20, { workOf: (done) => done + 8 * Math.max(0, done - 10) });
    expect(lineAt(10, 10)).toBe("10 done, 1 min 30 s left\n");
    expect(lineAt(55, 15)).toBe("15 done, 45 s left\n");
  });

  test.each([
    ["cuts its words, never the time left, on a narrow terminal", 20, "a line …, 10 s left"],
    ["cuts nothing on a terminal of unknown width", 0, "a line of many words, 10 s left"],
  ])("%s", (_, columns, line) => {
    const effects = recordEffects();
    let clock = 0;
    const stderr = { ...effects.stderr, isTerminal: true, columns };
    const progress = new Progress({ ...effects, stderr, now: () => 1000 * clock }, "work", 100);
    clock = 10;
    progress.reportAs(50, () => "a line of many words");
    expect(effects.printed.stderr).toBe(`\r${line}\u001b[K`);
  });

  test("names its unit in the count and in the rate", () => {
    const effects = recordEffects();
    let clock = 0;
    const timedEffects = { ...effects, now: () => 1000 * clock };
    const progress = new Progress(timedEffects, "fetch kodak", 100, { unit: "kB" });
    clock = 10;
    progress.report(50);
    expect(effects.printed.stderr).toBe("fetch kodak 50/100 kB, 5.0 kB/s, 10 s left\n");
  });
});
