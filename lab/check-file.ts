import { compute } from "./compute/compute.js";
import type { FactsOf, FileKind, FileToCheck } from "./compute/check-file-job.js";

/**
 * Returns the kind of a dropped file, one of those accepted, with its facts.
 *
 * @throws Error with a message for users if the file cannot be used
 */
export async function checkFile<K extends FileKind>(
  accepts: readonly K[],
  file: Omit<FileToCheck, "accepts">,
): Promise<FactsOf<K>> {
  // The worker returns accepted kinds only.
  return (await compute("checkFile", { ...file, accepts })) as FactsOf<K>;
}
