import { execFile } from "node:child_process";
import { chmod, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/scene-folder.js";

/** Runs .ci/run without MPI and without packages to install. Its npm only logs its arguments. */
async function runWithoutMpi(environment: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder("ci");
  const log = join(folder, "npm.log");
  await writeFile(log, "");
  const programs = { npm: `echo "$@" >> ${log}`, "apt-get": "exit 100", sudo: "exit 1" };
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
  const { code, stderr, asked } = await runWithoutMpi();
  expect(code).toBe(1);
  expect(stderr).toContain("Cannot install openmpi-bin.");
  expect(stderr.trim().split("\n").at(-1)).toBe("GAUSSIANIZE_WITHOUT_MPI=1 .ci/run");
  expect(asked).toEqual([""]);
});

test("CI goes on without MPI where it is told to, and checks the package", async () => {
  const { code, stderr, asked } = await runWithoutMpi({ GAUSSIANIZE_WITHOUT_MPI: "1" });
  expect([code, stderr]).toEqual([0, ""]);
  const wanted = ["ci", "test", "run check:package", "run test:package"];
  expect(asked).toEqual(expect.arrayContaining(wanted));
});
