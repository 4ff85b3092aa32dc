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
  ["--protocol bsds63 --seed 7", { protocol: "bsds63", seed: 7 }],
  ["--no-noise --certified", { noise: false, certified: true }],
  ["--noise-level 25 --rate 0.003", { noiseLevel: 25 / 255, learningRate: 0.003 }],
];

describe.each(requests)("the terms of gaussianize fit %s", (flags, asked) => {
  const terms = fitTerms(asked, images);

  test("are those that a file has, and nothing else of it is kept", () => {
    const file: unknown = JSON.parse(JSON.stringify({ ...terms, other: 3 }));
    expect(requireFitTerms(file, "x")).toEqual(terms);
  });

  test("say what to ask for, and by which flags", () => {
    expect(fitTerms(askedOf(terms), images)).toEqual(terms);
    expect(flagsOf(askedOf(terms)).join(" ")).toBe(flags);
  });
});

test("flags stand in the order of what is asked for", () => {
  expect(flagsOf({ heldOut: 0, model: "rg", noise: true, steps: undefined })).toEqual([
    "--held-out 0",
    "--model rg",
  ]);
});

test("noise levels in grey levels come back as they were given", () => {
  for (let level = 1; level <= 255; level++) {
    expect(flagsOf({ noiseLevel: level / 255 })).toEqual([`--noise-level ${level}`]);
  }
});

test("terms of earlier versions, which say more or less, are read", () => {
  const terms = fitTerms({}, images);
  const more = { ...terms, certified: false, greedy: 0, restarts: [40] };
  expect(requireFitTerms(more, "x")).toEqual(more);
  expect(() => requireFitTerms({ ...terms, restarts: [40, 30] }, "x")).toThrow("restarts of x");
});
