/** Folder for all temporary files of a test run, its browsers and commands; removed afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export default async function setup(): Promise<() => Promise<void>> {
  // All projects share the first one's folder.
  if (basename(tmpdir()).startsWith("gaussianize-tests-")) return () => Promise.resolve();
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-tests-"));
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
