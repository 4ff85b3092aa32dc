/** Fits of images in tar archives, of which only some are in memory. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type TarEntry, tarBytes } from "../../bench/tar-blocks.js";
import { readPatchModel } from "../../node/model-files.js";
import { runCommand, runProcess } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let shards: string;
beforeAll(async () => {
  folder = await temporaryFolder("fit-archives");
  shards = join(folder, "shards");
  await mkdir(shards);
  await writeScenes(shards, 12);
  const entries: TarEntry[] = [];
  for (let k = 0; k < 50; k += 1) {
    const content = await readFile(join(shards, `scene${k % 12}.png`));
    // Found only when its turn comes.
    const isDamaged = k === 7 || k === 30;
    entries.push({ name: `${k}.png`, content: isDamaged ? content.subarray(0, 900) : content });
    entries.push({ name: `${k}.json`, content: Buffer.from("{}") });
  }
  await writeFile(join(shards, "a.tar"), tarBytes(entries.slice(0, 30)));
  await writeFile(join(shards, "b.tar"), tarBytes(entries.slice(30)));
});

/** 20 images of 60×45 pixels. */
const terms = ["--patch", "4", "--batch", "64", "--steps", "200", "--memory", "0.207"];
const fit = (name: string, ...more: string[]) =>
  runCommand("fit", shards, ...terms, ...more, "-o", join(folder, name));

describe("gaussianize fit with archives", () => {
  test("gives the same bytes with any number of workers, and names its data", async () => {
    const alone = await fit("alone", "--workers", "0");
    expect(alone.stderr).toContain(
      `skipped: Cannot read ${join(shards, "a.tar")}:7.png as a picture`,
    );
    const config = JSON.parse(
      await readFile(join(folder, "alone", "config.json"), "utf8"),
    ) as object;
    expect(config).toMatchObject({ window: 20, memory: 0.207 });
    const inWorkers = ["--workers", "2", "-o", join(folder, "workers")];
    expect(await runProcess("fit", shards, ...terms, ...inWorkers)).toMatchObject({ code: 0 });
    const [one, other] = await Promise.all(
      ["alone", "workers"].map((name) => readFile(join(folder, name, "model.safetensors"))),
    );
    expect(one.equals(other)).toBe(true);
    const { about } = await readPatchModel(join(folder, "alone", "model.safetensors"));
    // One of the damaged would be among the six that are held out: another image takes its place.
    expect(about.data).toMatchObject({ images: 62, trainingImages: 55, heldOutImages: 6 });
  });

  test("names an archive without images once", async () => {
    const [empty, other] = ["empty.tar", "other.tar"].map((name) => join(folder, name));
    for (const path of [empty, other]) await writeFile(path, tarBytes([]));
    const fitTo = (...archives: string[]) =>
      runCommand("fit", ...archives, ...terms, "-o", join(folder, "never"));
    const sentence = `There are no images in ${empty}.`;
    expect(await fitTo(empty)).toMatchObject({
      code: 1,
      stderr: `gaussianize fit: ${sentence}\n`,
    });
    const both = await fitTo(empty, other);
    expect(both.code).toBe(1);
    expect(both.stderr.split(sentence)).toHaveLength(2);
    expect(both.stderr).toContain(`skipped: There are no images in ${other}.`);
  });

  test("resumes only with its window", async () => {
    await fit("window", "--workers", "0");
    const other = await fit("window", "--workers", "0", "--resume", "--memory", "5");
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("has --memory 0.207, but this command says 5");
  });

  test("evaluates and verifies archives like files", async () => {
    await fit("evaluated", "--workers", "0");
    const model = join(folder, "evaluated", "model.safetensors");
    const files = Array.from({ length: 12 }, (_, k) => join(shards, `scene${k}.png`));
    const contents = await Promise.all(files.map((path) => readFile(path)));
    const archive = join(folder, "same.tar");
    await writeFile(
      archive,
      tarBytes(contents.map((content, k) => ({ name: `scene${k}.png`, content }))),
    );
    const figures = async (...images: string[]) => {
      const common = ["--patches", "300", "--workers", "0", "--json"];
      const { stdout } = await runCommand("evaluate", model, ...images, ...common);
      const { meanLogLikelihood } = JSON.parse(stdout) as { meanLogLikelihood: number };
      return meanLogLikelihood;
    };
    expect(await figures(archive)).toBe(await figures(...files));
    const verified = await runCommand(
      "verify",
      model,
      archive,
      "--samples",
      "50",
      "--workers",
      "0",
    );
    expect(verified.stdout).toContain("Data: patches of 12 images.");
  });
});
