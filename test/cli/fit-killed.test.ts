/** A fit that is killed without warning, again and again, ends with the bytes of one that was left in peace. */
import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "../support/seed.js";
import { temporaryFolder, writeScenes } from "../support/scene-folder.js";

const kills = 10;
let folder: string;
let arguments_: readonly string[];
beforeAll(async () => {
  folder = await temporaryFolder("killed");
  const images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
  // Damaged, which is found only when its turn comes.
  const whole = await readFile(join(images, "scene1.png"));
  await writeFile(join(images, "scene1.png"), whole.subarray(0, whole.length / 2));
  arguments_ = [
    ...["dist/cli/main.js", "fit", images, "--patch", "4", "--batch", "128", "--steps", "2500"],
    ...["--preprocessing", "standardize", "--workers", "1"],
  ];
});

/** Whether it came to its end before it was killed. */
function fit(output: string, killAfter: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const flags = [...arguments_, "-o", output, "--resume"];
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
  it(`at ${kills} random moments gives, resumed, the same model to the last bit`, async () => {
    const start = performance.now();
    expect(await fit(join(folder, "whole"), never)).toBe(true);
    const time = performance.now() - start;
    const whole = await modelOf(join(folder, "whole"));
    const random = createRandom(seed, "kills");
    let [killed, output] = [0, 0];
    while (killed < kills) {
      const path = join(folder, `run${output}`);
      const isDone = await fit(path, time * random.uniform());
      if (!isDone) killed++;
      if (isDone || killed === kills) {
        if (!isDone) await fit(path, never);
        expect((await modelOf(path)).equals(whole), `run${output}`).toBe(true);
        output++;
      }
    }
  });
});
