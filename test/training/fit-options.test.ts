import { describe, expect, test } from "vitest";
import { fitDefaults, imageFitDefaults } from "../../src/training/fit-defaults.js";
import { cascadeGeometry } from "../../src/training/cascade-geometry.js";
import { protocolOf } from "../../src/patches/image-reading.js";
import {
  checkOptions,
  defaultOf,
  namesExceptFor,
  optionNames,
  optionTable,
  settledOptions,
} from "../../src/training/settle-options.js";

describe("the table of options", () => {
  test.each(optionNames)("%s has a default that its own rule allows", (name) => {
    const { values, form, absent } = optionTable[name];
    const usual = defaultOf(name, {});
    for (const value of [usual, absent, form?.usual]) {
      if (value !== undefined) expect(values.isRight(value)).toBe(true);
    }
    for (const choice of form?.choices ?? []) expect(values.isRight(choice)).toBe(true);
    expect(values.isRight({})).toBe(false);
  });

  test("has help that fits on two lines, and flags that differ", () => {
    for (const name of optionNames) {
      const { help, defaultText = "" } = optionTable[name];
      expect(help.length + defaultText.length, name).toBeLessThan(100);
    }
    const flags = optionNames.map((name) => optionTable[name].flag);
    expect(new Set(flags).size).toBe(flags.length);
  });

  test("says which options are for patches, and which for whole images", () => {
    expect(namesExceptFor("patches")).toContain("secondNormalization");
    expect(namesExceptFor("patches")).not.toContain("model");
    expect(namesExceptFor("cascades")).toContain("poolRank");
    expect(namesExceptFor("cascades")).not.toContain("stages");
  });
});

describe("settledOptions", () => {
  test("has a value for every option that is set, and omits implied ones", () => {
    const all = settledOptions({});
    expect(all).toMatchObject({ model: "gdn", patch: 8, noise: true, luminance: "linear" });
    expect(all).toMatchObject(fitDefaults("gdn", 64));
    for (const name of ["layers", "cascade", "stages", "greedy", "poolRank", "memory"]) {
      expect(all).not.toHaveProperty(name);
    }
  });

  test("takes sizes that depend on model, patches and rank of the pools", () => {
    const large = settledOptions({ patch: 16, poolRank: 8 });
    expect(large).toMatchObject({ poolRank: 8, ...fitDefaults("gdn", 256, 8) });
    const asked = { model: "ica-mg", removeMean: true, steps: 7 } as const;
    expect(settledOptions(asked)).toMatchObject({
      ...fitDefaults("ica-mg", 63),
      steps: 7,
      preprocessing: "standardize",
    });
  });

  test("uses the settings of a protocol; without dequantisation noise there is none", () => {
    const { size, removeMean } = protocolOf("bsds63").layout;
    const agreed = { patch: size, removeMean, luminance: "grey" };
    const named = settledOptions({ protocol: "bsds63" });
    expect(named).toMatchObject({ ...agreed, protocol: "bsds63", noise: true });
    const silent = settledOptions({ protocol: "bsds63", noise: false });
    expect(silent).toMatchObject({ ...agreed, protocol: null, noise: false });
  });

  test("of a cascade has its stride, and locations of whole crops", () => {
    const { stride } = cascadeGeometry("small");
    const { steps, learningRate } = imageFitDefaults({ stride });
    const whole = settledOptions({ cascade: "small", batch: 20 });
    expect(whole).toMatchObject({ patch: stride, steps, learningRate, stages: 2, greedy: 0.4 });
    expect(whole.batch).toBe(16);
    expect(settledOptions({ cascade: "small", stages: 1 })).not.toHaveProperty("greedy");
  });

  test("noisy patches have standardized grey values", () => {
    const noisy = { luminance: "grey", noise: false, preprocessing: "standardize" };
    expect(settledOptions({ noiseLevel: 0.1 })).toMatchObject(noisy);
  });
});

test("checkOptions names the option, its rule and the value", () => {
  const sentence = "Expected layers to be a whole number from 1 to 12 but received 13.";
  expect(() => {
    checkOptions({ layers: 13 }, ["model", "layers"]);
  }).toThrow(sentence);
});
