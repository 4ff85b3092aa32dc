import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export interface FileFolder {
  /** The path of a new name with this ending. */
  readonly fresh: (ending: string) => string;
  /** Puts bytes into a new file. */
  readonly put: (bytes: Uint8Array | string, ending: string) => Promise<string>;
}

/** A temporary folder that is gone after the tests of a file. */
export async function fileFolder(): Promise<FileFolder> {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-files-"));
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  let files = 0;
  const fresh = (ending: string): string => join(folder, `${++files}${ending}`);
  const put = async (bytes: Uint8Array | string, ending: string): Promise<string> => {
    const path = fresh(ending);
    await writeFile(path, bytes);
    return path;
  };
  return { fresh, put };
}
