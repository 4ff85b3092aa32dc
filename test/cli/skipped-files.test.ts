import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SkippedFiles, imagesAt } from "../../cli/skipped-files.js";
import { runCommand, recordEffects } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";

const folder = await temporaryFolder("skipped-files");
await mkdir(join(folder, "below"));
for (const name of ["a.png", "b.gif", "below/c.GIF", "below/d.heic", "notes.txt"]) {
  await writeFile(join(folder, name), "");
}
const line =
  "Skipped 3 files (2 .gif, 1 .heic): names in folders must end in .png, .jpg, .jpeg, .webp, .tif, .tiff";

describe("files in folders that are skipped", () => {
  test("are named in one line by their kinds, each file once", async () => {
    const effects = recordEffects();
    expect(await imagesAt([folder, `${folder}/`], effects)).toEqual([join(folder, "a.png")]);
    expect(effects.printed).toEqual({ stdout: "", stderr: `${line}, .iml or .tar.\n` });
  });

  test("are not mentioned if there are none", () => {
    const effects = recordEffects();
    new SkippedFiles().tell(effects);
    expect(effects.printed.stderr).toBe("");
  });

  test("are named by denoise, on stderr", async () => {
    const out = join(folder, "..", "skipped-files-out");
    const { stdout, stderr } = await runCommand("denoise", folder, "-o", out, "--workers", "0");
    expect(stdout).toBe("");
    expect(stderr.startsWith(`${line} or .iml.\n`)).toBe(true);
  });
});
