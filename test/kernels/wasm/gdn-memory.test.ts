import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { krylovDirections, mostProducts } from "../../../src/kernels/wasm/gdn-memory.js";

/** The kernels write past the end of their memory if these differ. */
test.each([
  ["krylov-sums.ts", "MOST_PRODUCTS", mostProducts],
  ["krylov.ts", "MAXIMUM_DIRECTIONS", krylovDirections],
])("%s and the memory layout agree on %s", (file, name, value) => {
  const source = readFileSync(new URL(`../../../kernels/${file}`, import.meta.url), "utf8");
  expect(new RegExp(`const ${name}: usize = (\\d+);`).exec(source)?.[1]).toBe(String(value));
});
