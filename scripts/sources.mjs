/** Tells whether dist/ was built from the current sources. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "dist/.sources");

/** All inputs of a build. */
const sources = [
  ...["src", "node", "browser", "cli", "paper", "bench", "lab", "kernels", "models", "priors"],
  ...["scripts", "test/support", "package.json", "package-lock.json"],
  ...["tsconfig.json", "tsconfig.build.json"],
];

export function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === stateOfSources();
}

/** Call it before a build writes its first file, because a build may be interrupted. */
export function forgetBuild() {
  rmSync(stamp, { force: true });
}

/** Call it after a build has written its last file. */
export function rememberBuild() {
  writeFileSync(stamp, stateOfSources());
}

/** Returns a hash of the names and contents of all files. */
function stateOfSources() {
  const hash = createHash("sha256");
  for (const path of sources.flatMap((name) => filesIn(join(root, name)))) {
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
