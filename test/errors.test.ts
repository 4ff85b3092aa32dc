import { describe, expect, test } from "vitest";
import { describeValue, expected, GaussianizeError, UsageError } from "../src/errors.js";

describe("expected", () => {
  test("says what was expected and what was received", () => {
    const error = expected("gamma", "hold 65536 values (256×256)", 65280);
    expect(error).toBeInstanceOf(GaussianizeError);
    expect(error.name).toBe("GaussianizeError");
    expect(error.message).toBe("Expected gamma to hold 65536 values (256×256) but received 65280.");
  });
});

describe("UsageError", () => {
  test("is a GaussianizeError that asks for exit code 2", () => {
    const error = new UsageError("--patch-size must be an integer");
    expect(error).toBeInstanceOf(GaussianizeError);
    expect(error.name).toBe("UsageError");
    expect(error.exitCode).toBe(2);
  });
});

describe("describeValue", () => {
  test.each<[unknown, string]>([
    ["16x16", '"16x16"'],
    ["a\nb", String.raw`"a\nb"`],
    ["x".repeat(100), `"${"x".repeat(60)}…"`],
    [NaN, "NaN"],
    [-0, "-0"],
    [7n, "7n"],
    [undefined, "undefined"],
    [null, "null"],
    [[1, "a", [2]], '[1, "a", …]'],
    [[1, 2, 3, 4, 5], "[1, 2, 3, 4, …] (5 values)"],
    [Float32Array.of(0.5, 1), "Float32Array [0.5, 1]"],
    [new Float64Array(9), "Float64Array [0, 0, 0, 0, …] (9 values)"],
    [new Map(), "a Map"],
    [{ beta: 1, gamma: 2 }, "an object with beta, gamma"],
    [{}, "an empty object"],
    [Object.create(null), "an empty object"],
    [new TypeError("no"), "TypeError (no)"],
    [Math.max, "function max"],
    [{ "a\nb": 1, "\u001b[31m": 2 }, String.raw`an object with a\u000ab, \u001b[31m`],
    [{ ["k".repeat(100)]: 1 }, `an object with ${"k".repeat(60)}…`],
    ["\u007f\u0085\u2028", String.raw`"\u007f\u0085\u2028"`],
    [new Error("one\ntwo"), String.raw`Error (one\u000atwo)`],
    [Symbol("a\nb"), String.raw`Symbol(a\u000ab)`],
    [["a\nb"], String.raw`["a\nb"]`],
  ])("%o is described on one line", (value, description) => {
    expect(describeValue(value)).toBe(description);
  });
});
