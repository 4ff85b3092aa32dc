import { describe, expect, test } from "vitest";
import {
  closed,
  noFiles,
  shownCurves,
  sorted,
  withModel,
} from "../../lab/panels/runs/dropped-runs.js";
import { curvesOf, mostRuns } from "../../lab/components/run-curves.js";

const figures = { meanLogProb: 1, negentropyDifferencePerDimension: -1 };
const records = [false, true].map((isHeldOut) => ({ step: 1, isHeldOut, ...figures }));
const curve = (name: string) => ({ name, records });
const model = { key: "1", file: new File(["1"], "model.safetensors") };

describe("files dropped on Runs", () => {
  test("curves of runs and of files together have looks of their own", () => {
    const runs = ["a", "b", "c", "d", "e"].map(curve);
    const { shown, leftOut } = shownCurves(runs, [curve("x"), curve("y")]);
    expect(shown.map(({ name }) => name)).toEqual(["a", "b", "c", "x", "y"]);
    expect(leftOut).toEqual(["d", "e"]);
    const ranks = curvesOf(shown, "loss", "step").map(({ rank }) => rank);
    expect(new Set(ranks).size).toBe(2 * mostRuns);
    expect(Math.max(...ranks.map(Number))).toBeLessThan(2 * mostRuns);
  });

  test("runs without a step take no look from others", () => {
    const empty = { name: "begun", records: [] };
    const runs = [empty, ...["a", "b", "c", "d", "e"].map(curve)];
    expect(shownCurves(runs, []).leftOut).toEqual([]);
    expect(shownCurves([empty], [])).toEqual({ shown: [empty], leftOut: [] });
  });

  test("with as many files as there are colours, no run is drawn", () => {
    const files = ["v", "w", "x", "y", "z"].map(curve);
    expect(shownCurves([curve("a")], files)).toEqual({ shown: files, leftOut: ["a"] });
  });

  test("a model is added to what is there when it is read, and put away alone", () => {
    const both = withModel(model)({ ...noFiles, curves: [curve("x"), curve("y")] });
    expect(both).toMatchObject({
      curves: [{ name: "x" }, { name: "y" }],
      model: { file: model.file },
    });
    expect(closed("model", model.file.name)(both)).toMatchObject({
      curves: both.curves,
      model: null,
    });
    const one = closed("curve", "x")(both);
    expect(one).toMatchObject({ curves: [{ name: "y" }], model: { file: model.file } });
  });

  test("of several models the first is taken, and the others are named", () => {
    const files = ["a.jsonl", "b.safetensors", "c.jsonl", "d.SAFETENSORS"];
    const { taken, refused } = sorted(files.map((name) => new File([], name)));
    expect(taken.map(({ name }) => name)).toEqual(["a.jsonl", "b.safetensors", "c.jsonl"]);
    expect(refused).toEqual(["One model is shown at a time: d.SAFETENSORS was left out."]);
  });
});
