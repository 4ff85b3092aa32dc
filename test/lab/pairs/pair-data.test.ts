import { describe, expect, test } from "vitest";
import { csvPairs } from "../../../lab/panels/pairs/csv-pairs.js";
import { syntheticPairs } from "../../../lab/panels/pairs/synthetic-pairs.js";
import { LastOnes } from "../../../lab/compute/last-ones.js";
import { histogramInformation } from "../../../src/evaluation/mutual-information/histogram-information.js";

/** 100 rows of numbers that differ. */
const rows = (separator: string, count = 100): string[] =>
  Array.from({ length: count }, (_, k) => `${k}.5${separator}-${k * k}e-1`);

describe("CSV files", () => {
  test.each([",", ";", "\t", " ; "])("are read with %j between columns", (separator) => {
    const { pairs, names } = csvPairs(rows(separator).join("\n"));
    expect(names).toBeNull();
    expect(Array.from(pairs.slice(4, 8))).toEqual([2.5, -0.4, 3.5, -0.9]);
    expect(pairs).toHaveLength(200);
  });

  test("may have names, quotes, empty lines, a byte order mark and the line ends of Windows", () => {
    const text = `\uFEFF"height, m" ;weight\r\n\r\n${rows(";").join("\r\n")}\r\n"7";"8.25"\r\n`;
    const { pairs, names } = csvPairs(text);
    expect(names).toEqual(["height, m", "weight"]);
    expect(Array.from(pairs.slice(-2))).toEqual([7, 8.25]);
  });

  const withLine = (line: string): string => ["a,b", ...rows(","), line].join("\n");
  test.each([
    ["1,5;2,5", "Expected line 102 to be two numbers with a decimal point"],
    ["1,2,3", 'received "1,2,3"'],
    ["1,", "Expected line 102"],
    ["NaN,1", "Expected line 102"],
    ["Infinity,1", "Expected line 102"],
    ["0x10,1", "Expected line 102"],
    ["c,d", "Expected line 102"],
    ["1e400,1", "Expected the numbers of line 102 to be at most 1e15"],
    ["\u0000\u0001", "Expected line 102"],
  ])("a line %j is refused by its number", (line, sentence) => {
    expect(() => csvPairs(withLine(line))).toThrow(sentence);
  });

  test.each([
    ["", "at least 100 rows of numbers but received 0"],
    ["x,y\n1,2", "at least 100 rows of numbers but received 1"],
    ["just a text", "Expected line 1 to be two numbers"],
    ["1,2\r3,4\r5,6", "Expected line 1 to be two numbers"],
  ])("%j is refused", (text, sentence) => {
    expect(() => csvPairs(text)).toThrow(sentence);
  });

  test("a million rows are enough", () => {
    const text = "1,2\n".repeat(1_000_001);
    expect(() => csvPairs(text)).toThrow("at most 1,000,000 rows but line 1000001 is one more");
  });
});

describe("synthetic pairs", () => {
  const count = 20_000;
  const momentsOf = (pairs: Float64Array) => {
    const mean = (of: (x: number, y: number) => number): number => {
      let sum = 0;
      for (let k = 0; k < pairs.length; k += 2) sum += of(pairs[k], pairs[k + 1]);
      return sum / (pairs.length / 2);
    };
    return { mean };
  };

  // Student's t with ν = 5 has variance 5/3; tolerances are several standard errors of 20,000
  // pairs.
  test("elliptical ones are correlated by 0.6", () => {
    const { mean } = momentsOf(syntheticPairs("elliptical", count, "3"));
    expect(mean((x, y) => x * y) / (5 / 3)).toBeCloseTo(0.6, 0.5);
    expect(mean((x) => x * x)).toBeCloseTo(5 / 3, 0.5);
  });

  test("independent ones are so after a turn by −30°, and not before", () => {
    const pairs = syntheticPairs("independent", count, "3");
    const turned = new Float64Array(pairs.length);
    for (let k = 0; k < pairs.length; k += 2) {
      turned[k] = (Math.sqrt(3) / 2) * pairs[k] + 0.5 * pairs[k + 1];
      turned[k + 1] = -0.5 * pairs[k] + (Math.sqrt(3) / 2) * pairs[k + 1];
    }
    expect(histogramInformation(turned).inBits).toBeLessThan(0.01);
    expect(histogramInformation(pairs).inBits).toBeGreaterThan(0.015);
  });

  test("curved ones lie along a parabola, about mean 0", () => {
    const { mean } = momentsOf(syntheticPairs("curved", count, "3"));
    expect(Math.abs(mean((_, y) => y))).toBeLessThan(0.03);
    // E(x² y) = c E(x⁴ − x²) = 2 c
    expect(mean((x, y) => x * x * y)).toBeCloseTo(1.2, 0.5);
  });

  test("another seed draws others", () => {
    const of = (seed: string): number => syntheticPairs("curved", 1, seed)[0];
    expect(of("1")).toBe(of("1"));
    expect(of("1")).not.toBe(of("2"));
  });
});

describe("LastOnes", () => {
  test("keeps as many as it may, the last used ones, and no failures", async () => {
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
