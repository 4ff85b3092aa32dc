import { expect, test } from "vitest";
import {
  type FilterHistory,
  bitmapOf,
  mostEntries,
  withFilters,
} from "../../../lab/panels/train/filter-history.js";
import { greyBitmap } from "../../../lab/components/bitmap.js";

const picture = greyBitmap({ width: 2, height: 1, pixels: [0.2, 0.8] });
const history = (steps: readonly number[]): FilterHistory =>
  steps.reduce<FilterHistory>((before, step) => withFilters(before, step, picture), []);
const stepsOf = (found: FilterHistory): number[] => found.map(({ step }) => step);

test("pictures come back with the same pixels", () => {
  expect(bitmapOf(history([1])[0])).toEqual(picture);
});

test("steps that are taken again replace those of before", () => {
  expect(stepsOf(history([1, 50, 100, 60]))).toEqual([1, 50, 60]);
});

test("a long history stays small, and keeps its first and its latest picture", () => {
  const all = Array.from({ length: 1000 }, (_, k) => 1 + 10 * k);
  const kept = stepsOf(history(all));
  expect(kept.length).toBeLessThanOrEqual(mostEntries);
  expect([kept[0], kept.at(-1)]).toEqual([1, 9991]);
  const gaps = kept.slice(1).map((step, k) => step - kept[k]);
  expect(Math.max(...gaps)).toBeLessThan(700);
});
