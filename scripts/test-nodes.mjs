/**
 * Runs the tests that need no browser on several versions of Node:
 *
 *   npm run test:nodes             on 20, 22, 24 and 26
 *   npm run test:nodes -- 20 26    on these
 *
 * Installs versions other than the running one from the npm package `node` into a cache folder. A
 * dependency on that package would replace the user's Node in npm scripts.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, "node_modules/.cache/gaussianize/nodes");
const supported = ["20", "22", "24", "26"];

const given = process.argv.slice(2);
const wrong = given.find((word) => !/^[1-9]\d+$/.test(word));
if (wrong !== undefined) {
  console.error(`test:nodes: expected major versions of Node such as 24; received "${wrong}".`);
  process.exit(2);
}

const outcomes = (given.length > 0 ? given : supported).map(testOn);
console.log(outcomes.map(({ sentence }) => sentence).join("\n"));
process.exit(outcomes.every(({ isGreen }) => isGreen) ? 0 : 1);

/**
 * @param {string} major
 * @returns {{ readonly sentence: string, readonly isGreen: boolean }}
 */
function testOn(major) {
  const node = nodeOf(major);
  if (node === undefined) {
    return { sentence: `Node ${major}: FAILED, it could not be installed.`, isGreen: false };
  }
  const start = Date.now();
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(node, [vitest, "run", "--project", "node", "--project", "mocks"], {
    cwd: root,
    stdio: "inherit",
    // Child processes find the same Node.
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
  });
  const seconds = Math.round((Date.now() - start) / 1000);
  const isGreen = status === 0;
  return {
    sentence: `Node ${versionOf(node)}: ${isGreen ? "passed" : "FAILED"}, ${seconds} s.`,
    isGreen,
  };
}

/**
 * Returns the path of that version, and installs it if it is missing.
 *
 * @param {string} major
 * @returns {string | undefined}
 */
function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = join(cache, major);
  const name = process.platform === "win32" ? "node.exe" : "node";
  const path = join(folder, "node_modules/node/bin", name);
  if (versionOf(path) !== undefined) return path;
  // Remains of an interrupted installation.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const words = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
  // npm is a script on Windows, which needs a shell.
  const { status } = spawnSync("npm", [...words, `node@${major}`], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  return status === 0 && versionOf(path) !== undefined ? path : undefined;
}

/**
 * Returns the version of an executable, or undefined if it does not run.
 *
 * @param {string} path
 * @returns {string | undefined}
 */
function versionOf(path) {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
