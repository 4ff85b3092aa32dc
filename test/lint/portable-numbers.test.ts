import { ESLint, Linter } from "eslint";
import { describe, expect, test } from "vitest";
import tseslint from "typescript-eslint";
import { portableNumbers } from "../../scripts/lint/portable-numbers.js";

function complaints(code: string): string[] {
  const messages = new Linter({ configType: "flat" }).verify(code, {
    languageOptions: { parser: tseslint.parser },
    plugins: { portable: { rules: { numbers: portableNumbers } } },
    rules: { "portable/numbers": "error" },
  });
  return messages.map((message) => message.message);
}

describe("accepted", () => {
  test.each([
    "const a = Math.sqrt(Math.abs(x)) * Math.PI;",
    "const { floor, LN2 } = Math;",
    "const values = x.map(Math.fround);",
    'const a = Math["max"](1, 2);',
    "const a = 2 ** 20 + 2 ** -1022 + 2 ** scales + 2 ** (k + 1);",
    "function f(Math: { log(x: number): number }) { return Math.log(2); }",
    "const a = notes.Math.log;",
    "type Functions = typeof Math;",
    "const exp = portableExp(1);",
  ])("%s", (code) => {
    expect(complaints(code)).toEqual([]);
  });
});

describe("rejected", () => {
  test.each([
    "const a = Math.exp(1);",
    "const a = x.map(Math.log);",
    "const a = Math.hypot(1, 2);",
    'const a = Math["pow"](x, 2);',
    "const a = Math[name](x);",
    "const { log } = Math;",
    "const { floor, sin: sine } = Math;",
    "const { floor, ...others } = Math;",
    "const M = Math;",
    "const all = { ...Math };",
    "const a = globalThis.Math.cos(1);",
    "const { tanh } = globalThis.Math;",
    "function f() { return () => Math.cbrt(2); }",
    "const a = x ** 2;",
    "const a = x ** 2.4;",
    "const a = 2 ** 0.5;",
    "const a = 2 ** -0.5;",
    "const a = 10 ** n;",
    "let a = 2; a **= 3;",
  ])("%s", (code) => {
    expect(complaints(code)).toHaveLength(1);
  });

  test("with a sentence that says what to use", () => {
    expect(complaints("Math.log(2)")).toEqual([
      "Math.log differs between engines in its last digits: use a function of src/numbers.",
    ]);
  });
});

test("the rule holds in the core, the adapters and the shells, except in the Float64 specification", async () => {
  const linter = new ESLint();
  const holds = async (file: string): Promise<boolean> => {
    const { rules = {} } = (await linter.calculateConfigForFile(file)) as Linter.Config;
    return "portable/numbers" in rules;
  };
  for (const folder of ["src/figures", "src/numbers", "node", "browser", "cli", "lab", "paper"]) {
    expect(await holds(`${folder}/some.ts`), folder).toBe(true);
  }
  for (const folder of ["src/kernels/reference", "test", "bench"]) {
    expect(await holds(`${folder}/some.ts`), folder).toBe(false);
  }
});
