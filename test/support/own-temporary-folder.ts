/**
 * A folder for all temporary files of a run of the tests, their browsers and commands: gone after
 * it, whatever they leave behind.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export default async function setup(): Promise<() => Promise<void>> {
  // Projects share the one of the first.
  if (basename(tmpdir()).startsWith("gaussianize-tests-")) return () => Promise.resolve();
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-tests-"));
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
