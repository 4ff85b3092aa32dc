import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PassedOver, imagesAt } from "../../cli/passed-over.js";
import { runCommand, recordEffects } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";

const folder = await temporaryFolder("passed-over");
await mkdir(join(folder, "below"));
for (const name of ["a.png", "b.gif", "below/c.GIF", "below/d.heic", "notes.txt"]) {
  await writeFile(join(folder, name), "");
}
const line =
  "passed over: 3 files (2 .gif, 1 .heic); in folders, names must end in .png, .jpg, .jpeg, .webp, .tif, .tiff";

describe("what is passed over in folders", () => {
  test("is told in one line, by its kinds, each file once", async () => {
    const effects = recordEffects();
    expect(await imagesAt([folder, `${folder}/`], effects)).toEqual([join(folder, "a.png")]);
    expect(effects.printed).toEqual({ stdout: "", stderr: `${line}, .iml or .tar\n` });
  });

  test("is not told where there is nothing", () => {
    const effects = recordEffects();
    new PassedOver().tell(effects);
    expect(effects.printed.stderr).toBe("");
  });

  test("is told by denoise, on stderr", async () => {
    const out = join(folder, "..", "passed-over-out");
    const { stdout, stderr } = await runCommand("denoise", folder, "-o", out, "--workers", "0");
    expect(stdout).toBe("");
    expect(stderr.startsWith(`${line} or .iml\n`)).toBe(true);
  });
});
