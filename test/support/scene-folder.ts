/** Folders of small synthetic pictures for tests of commands that read images. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { writePng } from "../../node/write-png.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";

/** A temporary folder that is gone after the tests of the file. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `gaussianize-${name}-`));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** scene0.png, scene1.png …, 60×45 pixels each. */
export async function writeScenes(folder: string, count: number): Promise<void> {
  for (let k = 0; k < count; k++) {
    const scene = deadLeaves(createRandom(seed, "scene", k), { width: 60, height: 45 });
    await writePng(join(folder, `scene${k}.png`), scene);
  }
}
