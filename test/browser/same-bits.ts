import { expect } from "vitest";
import type { Bits } from "./page/computation.js";

/** Names what differs, not its thousands of digits. */
export function expectSameBits(actual: Bits, expected: Bits): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const [name, bits] of Object.entries(expected)) {
    expect(actual[name] === bits, `${name} has the same bits in the browser`).toBe(true);
  }
}
