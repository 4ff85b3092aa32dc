import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forgetParts, keptPart } from "../../../cli/paper/kept.js";

let report = "";
beforeEach(async () => {
  report = await mkdtemp(join(tmpdir(), "gaussianize-kept-"));
});
afterEach(() => rm(report, { recursive: true }));

const terms = { quick: true, seed: 1, steps: null };

function counted() {
  let made = 0;
  return { make: () => Promise.resolve({ values: [++made, 0.1] }), made: () => made };
}

describe("parts of an experiment", () => {
  test("are made once for each key and terms", async () => {
    const { make, made } = counted();
    const part = (key: string, of = terms) => keptPart(report, "pairs", key, of, make);
    expect(await part("1")).toEqual({ values: [1, 0.1] });
    expect(await part("1")).toEqual({ values: [1, 0.1] });
    expect(await part("2")).toEqual({ values: [2, 0.1] });
    expect(await part("1", { ...terms, seed: 2 })).toEqual({ values: [3, 0.1] });
    expect(made()).toBe(3);
  });

  test("are made again if their file was changed or truncated", async () => {
    const { make, made } = counted();
    await keptPart(report, "pairs", "1", terms, make);
    const folder = join(report, "experiments", "pairs-quick-parts");
    const path = join(folder, "1.json");
    const text = await readFile(path, "utf8");
    for (const damaged of [text.replace("0.1", "0.2"), text.slice(0, 50)]) {
      await writeFile(path, damaged);
      const before = made();
      await keptPart(report, "pairs", "1", terms, make);
      expect(made()).toBe(before + 1);
    }
  });

  test("leave nothing if they fail, and nothing once they are removed", async () => {
    const failing = () => Promise.reject(new Error("interrupted"));
    await expect(keptPart(report, "pairs", "1", terms, failing)).rejects.toThrow("interrupted");
    expect(await readdir(report)).toEqual([]);
    const { make, made } = counted();
    await keptPart(report, "pairs", "1", terms, make);
    await forgetParts(report, "pairs", terms);
    await keptPart(report, "pairs", "1", terms, make);
    expect(made()).toBe(2);
    await forgetParts(report, "nothing", terms);
  });
});
