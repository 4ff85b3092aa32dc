import { expect } from "vitest";
import { type ErrorCode, type GaussianizeError, expected } from "../../src/errors.js";

/** Expected properties of an error; a reworded message does not break the test. */
export interface WantedError {
  readonly code: ErrorCode;
  /** Name of the checked value. */
  readonly argument?: string;
  /** Relevant part of the message: a file, an option, a number. */
  readonly phrase?: string | RegExp;
}

/**
 * Expects an error of the library from a function or a promise:
 *
 *   expectError(() => gdn(parameters), { code: "invalid-argument", argument: "gamma" });
 *   await expectError(readModel(path), { code: "cannot-read", phrase: path });
 */
export function expectError(action: Promise<unknown>, wanted: WantedError): Promise<void>;
export function expectError(action: () => unknown, wanted: WantedError): void;
export function expectError(
  action: Promise<unknown> | (() => unknown),
  wanted: WantedError,
): Promise<void> | void {
  if (typeof action !== "function") {
    return action
      .then(shown, (error: unknown) => error)
      .then((error) => {
        compare(error, wanted);
      });
  }
  compare(thrownBy(action), wanted);
}

function thrownBy(action: () => unknown): unknown {
  try {
    return shown(action());
  } catch (error) {
    return error;
  }
}

const shown = (result: unknown): string =>
  result instanceof Promise ? "a promise, which must be awaited" : "no error";

function compare(error: unknown, { code, argument, phrase }: WantedError): void {
  const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // Not by class, because dist/ has its own.
  expect(error, told).toBeInstanceOf(Error);
  expect((error as GaussianizeError).code, told).toBe(code);
  if (argument !== undefined) expect((error as GaussianizeError).argument, told).toBe(argument);
  if (phrase !== undefined) expect((error as Error).message).toMatch(phrase);
}

/** Returns the message of a failed check, as formatted by src/errors.ts. */
export function refusal(argument: string, rule: string, received: unknown): string {
  return expected(argument, rule, received).message;
}

/** Returns the message of the library's error from an action, or "no error". */
export async function sentenceOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    expect((error as Error).name).toBe("GaussianizeError");
    return (error as Error).message;
  }
  return "no error";
}
