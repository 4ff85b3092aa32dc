import { execFile, spawnSync } from "node:child_process";
import { chmod, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.js";

/** Runs .ci/run without MPI, numpy and packages to install. Its npm only logs its arguments. */
async function runWithoutPackages(environment: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder("ci");
  const log = join(folder, "npm.log");
  await writeFile(log, "");
  const programs = {
    npm: `echo "$@" >> ${log}`,
    "apt-get": "exit 100",
    sudo: "exit 1",
    node: "echo v20.0.0",
  };
  for (const [name, code] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/bash\n${code}\n`);
    await chmod(join(folder, name), 0o755);
  }
  for (const name of ["dirname", "id"]) await symlink(`/usr/bin/${name}`, join(folder, name));
  const env = { PATH: folder, ...environment };
  const { code, stderr } = await promisify(execFile)("/bin/bash", [".ci/run"], { env }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: unknown) => error as { code: number; stderr: string },
  );
  return { code, stderr, asked: (await readFile(log, "utf8")).trim().split("\n") };
}

test("CI fails where MPI cannot be installed, and says how to skip it", async () => {
  const { code, stderr, asked } = await runWithoutPackages();
  expect(code).toBe(1);
  expect(stderr).toContain("Cannot install openmpi-bin.");
  expect(stderr.trim().split("\n").at(-1)).toBe("GAUSSIANIZE_WITHOUT_MPI=1 .ci/run");
  expect(asked).toEqual([""]);
});

test("CI fails where numpy cannot be installed, and says how to skip it", async (context) => {
  context.skip(hasDebiansNumpy(), "Debian's numpy is installed");
  const { code, stderr } = await runWithoutPackages({ GAUSSIANIZE_WITHOUT_MPI: "1" });
  expect(code).toBe(1);
  expect(stderr.trim().split("\n").at(-1)).toBe("GAUSSIANIZE_WITHOUT_NUMPY=1 .ci/run");
});

test("CI goes on without MPI and numpy where it is told to, and runs every check", async () => {
  const { code, stderr, asked } = await runWithoutPackages({
    GAUSSIANIZE_WITHOUT_MPI: "1",
    GAUSSIANIZE_WITHOUT_NUMPY: "1",
  });
  expect([code, stderr]).toEqual([0, ""]);
  expect(asked).toEqual([
    "ci",
    "test",
    "run test:slow",
    "run test:nodes -- 26",
    "run test:browsers",
    "run test:site",
    "run check:package",
    "run test:package",
    "run test:data",
  ]);
});

function hasDebiansNumpy(): boolean {
  return spawnSync("/usr/bin/python3", ["-c", "import numpy"]).status === 0;
}
