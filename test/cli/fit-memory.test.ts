import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { expectRefusal, recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;
beforeAll(async () => {
  folder = await temporaryFolder("fit-memory");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 2);
});

async function fitWith(bytes: number, ...words: readonly string[]) {
  const { printed, ...effects } = recordEffects();
  const output = join(folder, "run");
  const line = ["fit", images, "--steps", "2", "--workers", "0", "-o", output, ...words];
  const code = await run(line, { ...effects, memory: () => bytes });
  return { code, ...printed, hasRun: await stat(output).then(Boolean, () => false) };
}

describe("gaussianize fit with too little memory", () => {
  test("rejects a cascade, names what it needs and a smaller one, and writes nothing", async () => {
    const refused = await fitWith(0.32e9, "--cascade", "medium");
    expectRefusal(
      refused,
      1,
      "--cascade medium needs about 0.33 GB of memory, but there is only 0.32 GB; --cascade small needs 0.31 GB.",
    );
    expect(refused.hasRun).toBe(false);
  });

  test("has no suggestion if even the smallest cascade is too large", async () => {
    const refused = await fitWith(0.1e9, "--cascade", "small");
    expectRefusal(
      refused,
      1,
      "--cascade small needs about 0.31 GB of memory, but there is only 0.10 GB.",
    );
  });

  test("rejects less --memory than one image needs", async () => {
    const refused = await fitWith(Infinity, "--patch", "4", "--memory", "0.001");
    expectRefusal(
      refused,
      1,
      "memory to be at least 0.02 MB (the largest image) but received 0.001",
    );
    expect(refused.hasRun).toBe(false);
  });
});
