import { expect, test } from "vitest";
import { compareNames } from "../../src/runs/compare-names.js";

test("sorts by code units, as the lists of data sets do", () => {
  const sorted = ["100075.jpg", "2092.jpg", "B1.png", "a1.png", "img10.png", "img2.png", "é.png"];
  expect([...sorted].reverse().sort(compareNames)).toEqual(sorted);
  expect(compareNames("img1", "img1")).toBe(0);
});
