/** Returns the message of an error, for users. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
