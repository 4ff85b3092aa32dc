import { describe, expect, test } from "vitest";
import { TimeLeft, durationText } from "../../lab/duration.js";

test.each([
  [0.2, "1 s"],
  [42.4, "42 s"],
  [100, "2 min"],
  [7200, "2.0 h"],
  [NaN, "…"],
  [Infinity, "…"],
])("%d seconds are %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

describe("the time left", () => {
  test("is unknown at the start", () => {
    const left = new TimeLeft();
    left.note(0, 0, false);
    expect(left.seconds).toBeNaN();
  });

  test("follows from the time spent, without pauses", () => {
    const left = new TimeLeft();
    left.note(0, 0, false);
    left.note(0.25, 1000, false);
    expect(left.seconds).toBe(3);
    left.note(0.25, 9000, true);
    expect(left.seconds).toBe(3);
  });

  test("begins again with other work", () => {
    const left = new TimeLeft();
    left.note(0.9, 0, false);
    left.note(0, 1000, false);
    left.note(0.5, 2000, false);
    expect(left.seconds).toBe(1);
  });
});
