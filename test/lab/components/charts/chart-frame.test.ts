import { expect, test } from "vitest";
import {
  type FrameOptions,
  classOf,
  frameOf,
  pathOf,
  wholeDomain,
} from "../../../../lab/components/charts/chart-frame.js";

const line = { label: "a", x: [10, 20, 30], y: [1, 3, 2], rank: 0 };
const options: FrameOptions = {
  series: [line],
  levels: [],
  xScale: "even",
  yScale: "even",
  fromZero: false,
  zoom: null,
  width: 400,
  height: 300,
};

test("an axis starts at zero if its values start near it", () => {
  expect(wholeDomain({ series: [{ ...line, x: [1, 50, 100] }], xScale: "even" })).toEqual([0, 100]);
  expect(wholeDomain({ series: [line], xScale: "even" })).toEqual([10, 30]);
});

test("a logarithmic axis starts at the first positive value", () => {
  expect(wholeDomain({ series: [{ ...line, x: [0, 5, 30] }], xScale: "log" })).toEqual([5, 30]);
});

test("zooming fits the ordinate to the values in sight, and keeps lines between two points", () => {
  const frame = frameOf({ ...options, zoom: [18, 22] });
  expect(frame?.x.domain).toEqual([18, 22]);
  expect(frame?.y.domain[1]).toBeCloseTo(3.1, 9);
  expect(frameOf({ ...options, zoom: [12, 14] })).not.toBeNull();
});

test("nothing is drawn without values, or before the width is known", () => {
  expect(frameOf({ ...options, series: [] })).toBeNull();
  expect(frameOf({ ...options, width: 0 })).toBeNull();
});

test("values that are not finite interrupt a line", () => {
  const frame = frameOf(options)!;
  expect(pathOf(line, frame).match(/[ML]/g)).toEqual(["M", "L", "L"]);
  expect(pathOf({ ...line, y: [1, NaN, 2] }, frame).match(/[ML]/g)).toEqual(["M", "M"]);
});

test("ranks after the last colour are dotted in the same colour", () => {
  expect([classOf({ rank: 1 }), classOf({ rank: 6 })]).toEqual(["series-1", "series-1 dotted"]);
});
