import { describe, expect, test } from "vitest";
import { curvesOf, mostRuns } from "../../lab/components/run-curves.js";
import {
  closed,
  noFiles,
  shownCurves,
  sorted,
  withModel,
} from "../../lab/panels/runs/dropped-runs.js";
import { chosenRuns } from "../../lab/panels/runs/runs-controls.js";

const figures = { meanLogProb: 1, negentropyDifferencePerDimension: -1 };
const records = [false, true].map((isHeldOut) => ({ step: 1, isHeldOut, ...figures }));
const curve = (name: string) => ({ name, records });
const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

describe("curves of runs and dropped files", () => {
  test("differ in colour or dashes, and the files come first", () => {
    const runs = ["a", "b", "c", "d", "e"].map(curve);
    const { shown, leftOut } = shownCurves(runs, [curve("x"), curve("y")]);
    expect(namesOf(shown)).toEqual(["a", "b", "c", "x", "y"]);
    expect(leftOut).toEqual(["d", "e"]);
    const ranks = curvesOf(shown, "loss", "step").map(({ rank }) => rank);
    expect(new Set(ranks).size).toBe(2 * mostRuns);
    expect(Math.max(...ranks.map(Number))).toBeLessThan(2 * mostRuns);
  });

  test("leave no colour to runs without a step", () => {
    const empty = { name: "begun", records: [] };
    const runs = [empty, ...["a", "b", "c", "d", "e"].map(curve)];
    expect(shownCurves(runs, []).leftOut).toEqual([]);
    expect(shownCurves([empty], [])).toEqual({ shown: [empty], leftOut: [] });
  });

  test("show no run if files use all colours", () => {
    const files = ["v", "w", "x", "y", "z"].map(curve);
    expect(shownCurves([curve("a")], files)).toEqual({ shown: files, leftOut: ["a"] });
  });
});

describe("files dropped on Runs", () => {
  test("are added and closed independently", () => {
    const file = new File(["1"], "model.safetensors");
    const both = withModel({ key: "1", file })({ ...noFiles, curves: [curve("x"), curve("y")] });
    expect(both).toMatchObject({ curves: [{ name: "x" }, { name: "y" }], model: { file } });
    expect(closed("model", file.name)(both)).toEqual({ curves: both.curves, model: null });
    expect(closed("curve", "x")(both)).toMatchObject({ curves: [{ name: "y" }], model: { file } });
  });

  test("include only the first of several models, and the others are named", () => {
    const files = ["a.jsonl", "b.safetensors", "c.jsonl", "d.SAFETENSORS"];
    const { taken, refused } = sorted(files.map((name) => new File([], name)));
    expect(namesOf(taken)).toEqual(["a.jsonl", "b.safetensors", "c.jsonl"]);
    expect(refused).toEqual([expect.stringContaining("d.SAFETENSORS was skipped")]);
  });
});

describe("compared runs", () => {
  const rest = { config: {}, images: 4, lastStep: null, lastHeldOut: null, model: null };
  const run = (name: string, modified: number) =>
    ({ name, modified, status: "running", ...rest }) as const;
  const names = (...parameters: Parameters<typeof chosenRuns>) =>
    namesOf(chosenRuns(...parameters));

  test("default to the run written last, which stays when another one is written", () => {
    expect(names("", [run("a", 1), run("b", 2)])).toEqual(["b"]);
    expect(names("", [run("a", 3), run("b", 2)], "b")).toEqual(["b"]);
    // The run b is gone.
    expect(names("", [run("a", 3), run("c", 2)], "b")).toEqual(["a"]);
    expect(names("", [], "b")).toEqual([]);
  });

  test("are those that the user chose, and no others", () => {
    const runs = [run("a", 1), run("deep/b", 2)];
    expect(names("a", runs, "deep/b")).toEqual(["a"]);
    expect(names("deep%2Fb,a", runs, "a")).toEqual(["deep/b", "a"]);
    expect(names(",", runs, "a")).toEqual([]);
  });
});
