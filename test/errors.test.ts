import { describe, expect, test } from "vitest";
import {
  describeValue,
  expected,
  failureOf,
  GaussianizeError,
  inFile,
  UsageError,
} from "../src/errors.js";

describe("expected", () => {
  test("says what was expected and what was received", () => {
    const error = expected("gamma", "hold 65536 values (256×256)", 65280);
    expect(error).toBeInstanceOf(GaussianizeError);
    expect(error.name).toBe("GaussianizeError");
    expect(error.code).toBe("invalid-argument");
    expect(error.argument).toBe("gamma");
    expect(error.message).toBe("Expected gamma to hold 65536 values (256×256) but received 65280.");
  });
});

describe("UsageError", () => {
  test("is a GaussianizeError that asks for exit code 2", () => {
    const error = new UsageError("--patch-size must be an integer");
    expect(error).toBeInstanceOf(GaussianizeError);
    expect(error.name).toBe("UsageError");
    expect(error.exitCode).toBe(2);
    expect(error.code).toBe("usage");
  });
});

describe("inFile", () => {
  const caughtInFile = (error: Error): unknown => {
    try {
      return inFile("a.gdn", () => {
        throw error;
      });
    } catch (caught) {
      return caught;
    }
  };

  test("names the file, and calls a value that breaks a rule damage", () => {
    const error = expected("gamma", "hold 4 values", 3);
    expect(caughtInFile(error)).toMatchObject({
      code: "file-damaged",
      argument: "gamma",
      message: `a.gdn: ${error.message}`,
      cause: error,
    });
  });

  test("keeps other codes, and errors that are not the library's own", () => {
    const error = new GaussianizeError("mismatch", "It is of\nanother fit.");
    expect(caughtInFile(error)).toMatchObject({
      code: "mismatch",
      message: "a.gdn: It is of another fit.",
    });
    const other = new TypeError("no");
    expect(caughtInFile(other)).toBe(other);
  });
});

describe("failureOf", () => {
  test("is plain data that keeps code, argument and message", () => {
    const failure = failureOf(expected("gamma", "hold 4 values", 3));
    expect(structuredClone(failure)).toEqual({
      code: "invalid-argument",
      argument: "gamma",
      message: "Expected gamma to hold 4 values but received 3.",
    });
  });

  test.each([new TypeError("no"), "no"])("gives %o the code of a failed worker", (thrown) => {
    expect(failureOf(thrown)).toEqual({ code: "worker-failed", message: "no" });
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
