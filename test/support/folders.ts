/** Temporary folders, empty or with small synthetic pictures. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { writePng } from "../../node/figures.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";

export interface FileFolder {
  /** Returns an unused path with this extension. */
  readonly fresh: (ending: string) => string;
  /** Writes bytes to a new file. */
  readonly put: (bytes: Uint8Array | string, ending: string) => Promise<string>;
}

/** Temporary folder that is removed after the tests of a file. */
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

/** Creates a temporary folder that is removed after the tests of the file. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `gaussianize-${name}-`));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes scene0.png, scene1.png …, 60×45 pixels each. */
export async function writeScenes(folder: string, count: number): Promise<void> {
  for (let k = 0; k < count; k++) {
    const scene = deadLeaves(createRandom(seed, "scene", k), { width: 60, height: 45 });
    await writePng(join(folder, `scene${k}.png`), scene);
  }
}
