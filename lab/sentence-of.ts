/** What went wrong, for users. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
