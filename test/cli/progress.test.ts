import { describe, expect, test } from "vitest";
import { Progress, fitting } from "../../cli/progress.js";
import { recordEffects } from "../support/commands.js";

/** A progress line on a clock that stands at `seconds` when a report comes. */
function timed(total: number) {
  const effects = recordEffects();
  let clock = 0;
  const progress = new Progress({ ...effects, now: () => 1000 * clock }, "work", total);
  return (seconds: number, done: number): string => {
    clock = seconds;
    const before = effects.printed.stderr.length;
    progress.reportAs(done, () => `${done} done`);
    return effects.printed.stderr.slice(before);
  };
}

describe("Progress", () => {
  test("does not count the time before the first piece of work", () => {
    // A large picture is read for 60 s; then a millionth of it is done a millisecond.
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

  test("counts from its own start where the first report comes late", () => {
    expect(timed(100)(10, 50)).toBe("50 done, 10 s left\n");
  });

  test("cuts its words, never the time left, where a terminal is narrow", () => {
    const effects = recordEffects();
    let clock = 0;
    const stderr = { ...effects.stderr, isTerminal: true, columns: 20 };
    const progress = new Progress({ ...effects, stderr, now: () => 1000 * clock }, "work", 100);
    clock = 10;
    progress.reportAs(50, () => "a line of many words");
    expect(effects.printed.stderr).toBe("\ra line …, 10 s left\u001b[K");
  });

  test("cuts nothing where the width of the terminal is unknown", () => {
    expect(fitting("a line of many words", 0)).toBe("a line of many words");
    expect(fitting("a line of many words", undefined)).toBe("a line of many words");
  });
});
