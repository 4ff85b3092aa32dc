/**
 * A fit that is killed without warning, again and again, ends with the bytes of one that was left
 * in peace.
 */
import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type TarEntry, tarBytes } from "../../bench/tar-blocks.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let files: readonly string[];
let archives: readonly string[];
beforeAll(async () => {
  folder = await temporaryFolder("killed");
  const images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
  // Damaged, which is found only when its turn comes.
  const whole = await readFile(join(images, "scene1.png"));
  await writeFile(join(images, "scene1.png"), whole.subarray(0, whole.length / 2));
  const terms = ["--patch", "4", "--preprocessing", "standardize", "--workers", "1"];
  files = [images, ...terms, "--batch", "128", "--steps", "2500"];
  // Uneven, with one damaged picture each; a fit has about 18 images in memory, in two lanes.
  const entries = await entriesFrom(images, 5);
  const shards = join(folder, "shards");
  await mkdir(shards);
  for (const [k, count] of [25, 8, 17].entries()) {
    const members = Array.from({ length: count }, (_, member) => entries[member % 5]);
    await writeFile(join(shards, `${k}.tar`), tarBytes(members));
  }
  archives = [shards, ...terms, "--batch", "64", "--steps", "1000", "--memory", "0.19"];
});

async function entriesFrom(images: string, count: number): Promise<TarEntry[]> {
  const names = Array.from({ length: count }, (_, k) => `scene${k}.png`);
  return Promise.all(
    names.map(async (name) => ({ name, content: await readFile(join(images, name)) })),
  );
}

/** Whether it came to its end before it was killed. */
function fit(terms: readonly string[], output: string, killAfter: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const flags = ["dist/cli/main.js", "fit", ...terms, "-o", output, "--resume"];
    const child = spawn(process.execPath, flags, { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (text) => (stderr += String(text)));
    const timer = setTimeout(() => child.kill("SIGKILL"), killAfter);
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (code === 0 || signal === "SIGKILL") resolve(code === 0);
      else reject(new Error(`exit code ${code}: ${stderr}`));
    });
  });
}

const modelOf = (output: string): Promise<Buffer> => readFile(join(output, "model.safetensors"));
/** Longer than any fit. */
const never = 600_000;

describe("a fit that is killed", { timeout: 300_000 }, () => {
  test.each([
    { kills: 10, what: "files", terms: () => files },
    { kills: 3, what: "archives", terms: () => archives },
  ])(
    "at $kills random moments gives, resumed, the same model to the last bit: $what",
    async ({ kills, what, terms }) => {
      const start = performance.now();
      const whole = join(folder, `${what}-whole`);
      expect(await fit(terms(), whole, never)).toBe(true);
      const time = performance.now() - start;
      const model = await modelOf(whole);
      const random = createRandom(seed, "kills", what);
      let [killed, output] = [0, 0];
      while (killed < kills) {
        const path = join(folder, `${what}-${output}`);
        const isDone = await fit(terms(), path, time * random.uniform());
        if (!isDone) killed++;
        if (isDone || killed === kills) {
          if (!isDone) await fit(terms(), path, never);
          expect((await modelOf(path)).equals(model), path).toBe(true);
          output++;
        }
      }
    },
  );
});
