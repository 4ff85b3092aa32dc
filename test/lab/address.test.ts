import { describe, expect, test } from "vitest";
import {
  addressOf,
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

describe("the address holds the state", () => {
  test("there and back", () => {
    const state = { data: "curved", separation: 8, temperature: 0.5 } as const;
    const hash = formatAddress(addressOf("pairs", settings, state));
    expect(hash).toBe("#pairs?data=curved&separation=8&temperature=0.5");
    expect(readSettings(settings, parseAddress(hash))).toEqual(state);
  });

  test("usual values are left out", () => {
    const state = { data: "wavelets", separation: 2, temperature: 1 } as const;
    expect(formatAddress(addressOf("pairs", settings, state))).toBe("#pairs");
  });

  test.each([
    ["", { data: "wavelets", separation: 2, temperature: 1 }],
    ["#pairs?data=%3Cscript%3E&separation=1e9&temperature=", undefined],
    ["#pairs?separation=2.5&temperature=NaN", undefined],
    ["#pairs?separation=Infinity&temperature=-1&other=3", undefined],
    ["#pairs?%", undefined],
  ])("what %j says wrongly is answered by usual values", (hash, expected) => {
    const usual = expected ?? { data: "wavelets", separation: 2, temperature: 1 };
    expect(readSettings(settings, parseAddress(hash))).toEqual(usual);
  });
});
