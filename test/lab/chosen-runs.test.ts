import { expect, test } from "vitest";
import { chosenRuns } from "../../lab/panels/runs/runs-controls.js";

const run = (name: string, modified: number) => ({
  name,
  modified,
  status: "running" as const,
  config: {},
  images: 4,
  lastStep: null,
  lastHeldOut: null,
  model: null,
});
const names = (...parameters: Parameters<typeof chosenRuns>) =>
  chosenRuns(...parameters).map(({ name }) => name);

test("where nobody has chosen, the run that was written to last stays, whichever is next", () => {
  expect(names("", [run("a", 1), run("b", 2)])).toEqual(["b"]);
  expect(names("", [run("a", 3), run("b", 2)], "b")).toEqual(["b"]);
  // It is gone.
  expect(names("", [run("a", 3), run("c", 2)], "b")).toEqual(["a"]);
  expect(names("", [], "b")).toEqual([]);
});

test("what somebody has chosen is shown, and nothing else", () => {
  const runs = [run("a", 1), run("deep/b", 2)];
  expect(names("a", runs, "deep/b")).toEqual(["a"]);
  expect(names("deep%2Fb,a", runs, "a")).toEqual(["deep/b", "a"]);
  expect(names(",", runs, "a")).toEqual([]);
});
