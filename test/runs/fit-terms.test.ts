import { describe, expect, test } from "vitest";
import type { FitAsked } from "../../src/training/fit-options.js";
import { askedOf, fitTerms, flagsOf, requireFitTerms } from "../../src/runs/fit-terms.js";

const images = ["/a.png"];

const requests: readonly (readonly [flags: string, asked: FitAsked])[] = [
  ["", {}],
  ["--model ica-mg --patch 16", { model: "ica-mg", patch: 16 }],
  ["--layers 2 --greedy 0.5 --steps 12", { layers: 2, greedy: 0.5, steps: 12 }],
  ["--cascade small --greedy 0", { cascade: "small", greedy: 0 }],
  ["--cascade medium --stages 1", { cascade: "medium", stages: 1 }],
  ["--cascade paper", { cascade: "paper", gradient: "auto" }],
  ["--patch 16", { patch: 16, gradient: "auto" }],
  ["--patch 16 --gradient exact", { patch: 16, gradient: "exact" }],
  ["--patch 16 --pool-rank 4", { patch: 16, poolRank: 4, gradient: "auto" }],
  ["--gradient probes", { gradient: "probes" }],
  ["--protocol bsds63 --seed 7", { protocol: "bsds63", seed: 7 }],
  ["--no-noise --certified", { noise: false, certified: true }],
  ["--noise-level 25 --rate 0.003", { noiseLevel: 25 / 255, learningRate: 0.003 }],
];

describe.each(requests)("the terms of gaussianize fit %s", (flags, asked) => {
  const terms = fitTerms(asked, images);

  test("reads the options of a file and drops unknown fields", () => {
    const file: unknown = JSON.parse(JSON.stringify({ ...terms, other: 3 }));
    expect(requireFitTerms(file, "x")).toEqual(terms);
  });

  test("return the requested options and their flags", () => {
    expect(fitTerms(askedOf(terms), images)).toEqual(terms);
    expect(flagsOf(askedOf(terms)).join(" ")).toBe(flags);
  });
});

test("returns flags in the order of the options", () => {
  expect(flagsOf({ heldOut: 0, model: "rg", noise: true, steps: undefined })).toEqual([
    "--held-out 0",
    "--model rg",
  ]);
});

test("converts noise levels to grey levels and back exactly", () => {
  for (let level = 1; level <= 255; level++) {
    expect(flagsOf({ noiseLevel: level / 255 })).toEqual([`--noise-level ${level}`]);
  }
});

test("reads terms of earlier versions, with more or fewer fields", () => {
  const terms = fitTerms({}, images);
  const more = { ...terms, certified: false, greedy: 0, restarts: [40] };
  expect(requireFitTerms(more, "x")).toEqual(more);
  expect(() => requireFitTerms({ ...terms, restarts: [40, 30] }, "x")).toThrow("restarts of x");
});
