import { expect, test } from "vitest";
import { readinessOf } from "../../../lab/panels/train/readiness.js";
import type { TrainPicture } from "../../../lab/panels/train/train-pictures.js";

const pictureOf = (title: string, width: number): TrainPicture => ({
  ...{ key: title, title, path: title, file: new File([], title) },
  look: { kind: "listed picture", width, height: 100, thumbnail: null },
});
const choice = { side: 16, isReading: false, model: "gdn", steps: 500 };
const [large, small] = [pictureOf("large.png", 100), pictureOf("small.png", 8)];

test("says what the fit would be", () => {
  const { isReady, text } = readinessOf({ ...choice, pictures: [large] });
  expect([isReady, text]).toEqual([true, "gdn, 16×16 pixels, 500 steps"]);
});

test("names pictures that are too small", () => {
  const { isReady, text } = readinessOf({ ...choice, pictures: [large, small] });
  expect(isReady).toBe(true);
  expect(text).toContain("skips small.png: too small");
});

test.each([
  [[small], false, "smaller than 16×16 pixels. Choose smaller patches."],
  [[], false, "no pictures"],
  [[large], true, "Loading"],
  [[{ ...large, look: null }], false, "Loading"],
])("refuses a fit, and says why (%#)", (pictures, isReading, reason) => {
  const { isReady, text } = readinessOf({ ...choice, pictures, isReading });
  expect(isReady).toBe(false);
  expect(text).toContain(reason);
});
