/**
 * Tests of `gaussianize fit --distributed` that need no launcher. Those with one are in
 * fit-mpi.test.ts.
 */
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;
beforeAll(async () => {
  folder = await temporaryFolder("distributed");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
});

const quick = ["--patch", "4", "--batch", "64", "--steps", "4", "--preprocessing", "standardize"];
const together = ["--distributed", "mpi"];
const pathOf = (name: string): string => join(folder, name);

describe("--distributed", () => {
  const refusal = (
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) => {
    const all = ["dist/cli/main.js", "fit", images, ...quick, "-o", pathOf("none"), ...words];
    const env = { ...process.env, ...environment };
    const { status, stderr } = spawnSync(process.execPath, all, { encoding: "utf8", env });
    return { code: status, stderr };
  };

  const asSecondOfTwo = { SLURM_STEP_NUM_TASKS: "2", SLURM_PROCID: "1" };

  test("none gives each process its own run", () => {
    const words = ["dist/cli/main.js", "fit", images, ...quick, "-o", pathOf("own")];
    const env = { ...process.env, ...asSecondOfTwo };
    const fit = [...words, "--distributed", "none"];
    expect(spawnSync(process.execPath, fit, { env }).status).toBe(0);
  });

  test("lets rank 0 report a wrong command line; other commands report their own", () => {
    expect(refusal([...together, "--steps", "x"], asSecondOfTwo)).toEqual({ code: 0, stderr: "" });
    const alone = refusal(["--distributed", "none", "--steps", "x"], asSecondOfTwo);
    expect(alone.stderr).toContain("--steps must be");
    const words = ["dist/cli/main.js", "evaluate", "--patches", "x", "a", "b"];
    const env = { ...process.env, ...asSecondOfTwo };
    const other = spawnSync(process.execPath, words, { encoding: "utf8", env });
    expect(other.stderr).toContain("--patches must be");
    expect(other.status).toBe(2);
  });

  test("is mpi or none", () => {
    expect(refusal(["--distributed", "foo"])).toEqual({
      code: 2,
      stderr:
        'gaussianize fit: --distributed must be mpi or none; received "foo". See "gaussianize fit --help".\n',
    });
  });

  test("rejects cascades", () => {
    expect(refusal([...together, "--cascade", "small"]).stderr).toContain(
      "--distributed is for patches",
    );
  });

  test("names a library that is missing or does not load", async () => {
    expect(refusal(together, { GAUSSIANIZE_MPI: "/no/libmpi.so" })).toEqual({
      code: 1,
      stderr: "gaussianize fit: GAUSSIANIZE_MPI names /no/libmpi.so, which does not exist.\n",
    });
    const path = pathOf("libmpi.so");
    await writeFile(path, "no library");
    expect(refusal(together, { GAUSSIANIZE_MPI: path }).stderr).toBe(
      `gaussianize fit: MPI cannot be used: ${path} does not load (${path}: file too short).\n`,
    );
  });
});
