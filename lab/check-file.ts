/** Dropped files: whether they are any use, before they take the place of what is shown. */
import { compute } from "./compute/compute.js";
import type { FactsOf, FileKind, FileToCheck } from "./compute/check-file-job.js";

/**
 * Returns what a file is, one of the kinds that are accepted, with its facts.
 *
 * @throws Error with a sentence that says why the file is of no use here
 */
export async function checkFile<K extends FileKind>(
  accepts: readonly K[],
  file: Omit<FileToCheck, "accepts">,
): Promise<FactsOf<K>> {
  // The worker answers with kinds that are accepted only.
  return (await compute("checkFile", { ...file, accepts })) as FactsOf<K>;
}
