import { describe, expect, test } from "vitest";
import { csvPairs } from "../../../lab/panels/pairs/csv-pairs.js";
import { syntheticPairs } from "../../../lab/panels/pairs/synthetic-pairs.js";
import { LastOnes } from "../../../lab/compute/last-ones.js";
import { expectError } from "../../support/expect-error.js";
import { histogramInformation } from "../../../src/evaluation/mutual-information/histogram-information.js";

/** Rows of different numbers. */
const rows = (separator: string, count = 100): string[] =>
  Array.from({ length: count }, (_, k) => `${k}.5${separator}-${k * k}e-1`);

describe("CSV files", () => {
  test.each([",", ";", "\t", " ; "])("may have %j between columns", (separator) => {
    const { pairs, names } = csvPairs(rows(separator).join("\n"));
    expect(names).toBeNull();
    expect(Array.from(pairs.slice(4, 8))).toEqual([2.5, -0.4, 3.5, -0.9]);
    expect(pairs).toHaveLength(200);
  });

  test("may have names, quotes, empty lines, a byte order mark and Windows line ends", () => {
    const text = `\uFEFF"height, m" ;weight\r\n\r\n${rows(";").join("\r\n")}\r\n"7";"8.25"\r\n`;
    const { pairs, names } = csvPairs(text);
    expect(names).toEqual(["height, m", "weight"]);
    expect(Array.from(pairs.slice(-2))).toEqual([7, 8.25]);
  });

  const refuses = (text: string, phrase: string): void => {
    expectError(() => csvPairs(text), { code: "unsupported-file", phrase: RegExp(phrase) });
  };
  const withLine = (line: string): string => ["a,b", ...rows(","), line].join("\n");
  test.each([
    ["1,5;2,5", "two numbers on line 102"],
    ["1,2,3", 'line 102, .* received "1,2,3"'],
    ["1,", "line 102"],
    ["NaN,1", "line 102"],
    ["Infinity,1", "line 102"],
    ["0x10,1", "line 102"],
    ["c,d", "line 102"],
    ["1e400,1", "up to 1e15 on line 102"],
    ["\u0000\u0001", "line 102"],
  ])("name the line %j if it is not a pair", (line, phrase) => {
    refuses(withLine(line), phrase);
  });

  test.each([
    ["", "at least 100 rows .* received 0"],
    ["x,y\n1,2", "at least 100 rows .* received 1"],
    ["just a text", "two numbers on line 1,"],
    ["1,2\r3,4\r5,6", "two numbers on line 1,"],
    ["1,2\n".repeat(1_000_001), "at most 1,000,000 rows, but line 1000001"],
  ])("must hold 100 to 1,000,000 pairs", (text, phrase) => {
    refuses(text, phrase);
  });
});

describe("synthetic pairs", () => {
  const count = 20_000;
  const meanOf = (pairs: Float64Array, of: (x: number, y: number) => number): number => {
    let sum = 0;
    for (let k = 0; k < pairs.length; k += 2) sum += of(pairs[k], pairs[k + 1]);
    return sum / (pairs.length / 2);
  };

  // Student's t with ν = 5 has variance 5/3; tolerances are several standard errors of 20,000
  // pairs.
  test("of the elliptical kind have correlation 0.6", () => {
    const pairs = syntheticPairs("elliptical", count, "3");
    expect(meanOf(pairs, (x, y) => x * y) / (5 / 3)).toBeCloseTo(0.6, 0.5);
    expect(meanOf(pairs, (x) => x * x)).toBeCloseTo(5 / 3, 0.5);
  });

  test("of the independent kind are independent after a rotation by −30°, not before", () => {
    const pairs = syntheticPairs("independent", count, "3");
    const turned = new Float64Array(pairs.length);
    for (let k = 0; k < pairs.length; k += 2) {
      turned[k] = (Math.sqrt(3) / 2) * pairs[k] + 0.5 * pairs[k + 1];
      turned[k + 1] = -0.5 * pairs[k] + (Math.sqrt(3) / 2) * pairs[k + 1];
    }
    expect(histogramInformation(turned).inBits).toBeLessThan(0.01);
    expect(histogramInformation(pairs).inBits).toBeGreaterThan(0.015);
  });

  test("of the curved kind lie along a parabola, with mean 0", () => {
    const pairs = syntheticPairs("curved", count, "3");
    expect(Math.abs(meanOf(pairs, (_, y) => y))).toBeLessThan(0.03);
    // E(x² y) = c E(x⁴ − x²) = 2 c
    expect(meanOf(pairs, (x, y) => x * x * y)).toBeCloseTo(1.2, 0.5);
  });

  test("depend on the seed", () => {
    const of = (seed: string): number => syntheticPairs("curved", 1, seed)[0];
    expect(of("1")).toBe(of("1"));
    expect(of("1")).not.toBe(of("2"));
  });
});

describe("LastOnes", () => {
  test("keeps the most recently used results, and no failures", async () => {
    const last = new LastOnes<string>(2);
    const made: string[] = [];
    const get = (key: string): Promise<string> =>
      last.get(key, () => {
        made.push(key);
        return key === "bad" ? Promise.reject(new Error("bad")) : Promise.resolve(key);
      });
    for (const key of ["a", "b", "a", "c", "a", "b"]) await get(key);
    expect(made).toEqual(["a", "b", "c", "b"]);
    await expect(get("bad")).rejects.toThrow("bad");
    await expect(get("bad")).rejects.toThrow("bad");
    expect(made.slice(4)).toEqual(["bad", "bad"]);
  });
});
