import { describe, expect, test } from "vitest";
import {
  addressOf,
  addressProblems,
  choiceSetting,
  formatAddress,
  numberSetting,
  parseAddress,
  readSettings,
} from "../../lab/address.js";

const settings = {
  data: choiceSetting("wavelets", ["wavelets", "curved"]),
  separation: numberSetting(2, { least: 1, most: 64, isWhole: true }),
  temperature: numberSetting(1, { least: 0, most: 2 }),
};

const usual = { data: "wavelets", separation: 2, temperature: 1 } as const;

describe("an address", () => {
  test("holds the state of a panel", () => {
    const state = { data: "curved", separation: 8, temperature: 0.5 } as const;
    const hash = formatAddress(addressOf("pairs", settings, state));
    expect(hash).toBe("#pairs?data=curved&separation=8&temperature=0.5");
    expect(readSettings(settings, parseAddress(hash))).toEqual(state);
  });

  test("omits defaults", () => {
    expect(formatAddress(addressOf("pairs", settings, usual))).toBe("#pairs");
  });

  test.each([
    "",
    "#pairs?data=%3Cscript%3E&separation=1e9&temperature=",
    "#pairs?separation=2.5&temperature=NaN",
    "#pairs?separation=Infinity&temperature=-1&other=3",
    "#pairs?%",
  ])("replaces invalid values by defaults: %j", (hash) => {
    expect(readSettings(settings, parseAddress(hash))).toEqual(usual);
  });

  test("names what cannot be used, and what is expected", () => {
    const found = addressProblems(settings, parseAddress("#pairs?data=x&separation=99&other=3"));
    expect(found).toEqual([
      "The address has a value that is not allowed: data=x. The default is used.",
      "The address has a value that is not allowed: separation=99. Expected a number from 1 to 64. The default is used.",
      "The address has an unknown setting, which is ignored: other.",
    ]);
    expect(addressProblems(settings, parseAddress("#pairs?separation=8"))).toEqual([]);
  });
});
