import { expect } from "vitest";

/** The message of the library's own error that an action ends with, or "no error". */
export async function sentenceOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    expect((error as Error).name).toBe("GaussianizeError");
    return (error as Error).message;
  }
  return "no error";
}
