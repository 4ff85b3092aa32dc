/** Packs the package and installs it into an empty project, once for all tests of the package. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the tarball. */
    tarball: string;
    /** Folder of the project with the installed package. */
    project: string;
  }
}

const run = promisify(execFile);

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-package-"));
  await run("npm", ["pack", "--pack-destination", folder]);
  const [name] = await readdir(folder);
  const tarball = join(folder, name);
  const project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...quiet, tarball], { cwd: project });
  provide("tarball", tarball);
  provide("project", project);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
