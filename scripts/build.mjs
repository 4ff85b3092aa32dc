/**
 * Compiles the TypeScript sources into dist/ and makes the command executable.
 *
 * The first `npx gaussianize` in a checkout makes npm run this build once more, so dist/ is
 * overwritten in place: a program that runs from it meanwhile never finds a file missing.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

compile();
removeOrphans();
chmodSync(join(dist, "cli/main.js"), 0o755);

function compile() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
      cwd: root,
      stdio: "inherit",
    });
  } catch {
    // The compiler has already printed what is wrong.
    process.exit(1);
  }
}

/** The outputs of a source that was renamed or deleted: they would be published. */
function removeOrphans() {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    const source = name.replace(/\.(d\.ts|js)(\.map)?$/, ".ts");
    if (source !== name && !existsSync(join(root, source))) rmSync(join(dist, name));
  }
}
