import { describe, expect, test } from "vitest";
import {
  expectedSeconds,
  leftText,
  secondsLeft,
  workText,
} from "../../lab/panels/denoise/time-estimate.js";

const megapixel = { width: 1000, height: 1000, channels: 1 };

describe("the expected time of a denoising", () => {
  test("grows with pixels, channels and the pace of the machine", () => {
    const machine = { workers: 1, pace: 1 };
    const once = expectedSeconds(megapixel, "marginal", machine);
    expect(once).toBeGreaterThan(0);
    expect(expectedSeconds({ ...megapixel, channels: 3 }, "marginal", machine)).toBe(3 * once);
    expect(expectedSeconds({ ...megapixel, height: 2000 }, "marginal", machine)).toBe(2 * once);
    expect(expectedSeconds(megapixel, "marginal", { workers: 1, pace: 2.5 })).toBe(2.5 * once);
  });

  test("falls with the workers for densities, but not for wavelets", () => {
    const with1 = { workers: 1, pace: 1 };
    const with4 = { workers: 4, pace: 1 };
    expect(expectedSeconds(megapixel, "gdn-3", with4)).toBe(
      expectedSeconds(megapixel, "gdn-3", with1) / 4,
    );
    expect(expectedSeconds(megapixel, "gsm", with4)).toBe(expectedSeconds(megapixel, "gsm", with1));
  });

  test.each([
    [0.4, "less than a second"],
    [12.3, "about 12 s"],
    [600, "about 10 min"],
  ])("of %d s is %s", (seconds, text) => {
    expect(workText(seconds)).toBe(text);
  });
});

describe("the time left", () => {
  test("is the expected time at the start", () => {
    expect(secondsLeft({ expected: 40, elapsed: 0, part: 0 })).toBe(40);
    expect(leftText({ expected: 40, elapsed: 1, part: 0 })).toBe("about 39 s left");
  });

  test("follows the pace of the run after a fifth of the work", () => {
    expect(secondsLeft({ expected: 40, elapsed: 20, part: 0.25 })).toBe(60);
    expect(secondsLeft({ expected: 1000, elapsed: 9, part: 0.9 })).toBeCloseTo(1, 12);
  });

  test("weighs expectation and pace in between", () => {
    // Half of 100 s by the pace and half of 40 s expected, less 10 s.
    expect(secondsLeft({ expected: 40, elapsed: 10, part: 0.1 })).toBe(60);
  });

  test("is not shown when a run without progress has taken its expected time", () => {
    expect(leftText({ expected: 5, elapsed: 6, part: 0 })).toBe("");
  });
});
