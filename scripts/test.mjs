/**
 * `npm test`: runs the tests and, at the same time, the checks of types, lint and format, which use
 * the time in which tests wait. Passes words after `npm test --` to vitest.
 */
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const checks = ["typecheck", "lint", "format:check"];

const [tests, others] = await Promise.all([runTests(process.argv.slice(2)), runChecks()]);
for (const { name, isGreen, output } of others) {
  console.log(`npm run ${name}: ${isGreen ? "passed" : `FAILED\n${output}`}`);
}
process.exit(tests && others.every(({ isGreen }) => isGreen) ? 0 : 1);

/**
 * @param {readonly string[]} words
 * @returns {Promise<boolean>}
 */
async function runTests(words) {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...words], { cwd: root, stdio: "inherit" });
  return (await codeOf(child)) === 0;
}

/** Runs the checks one after the other. Their output is printed after the tests. */
async function runChecks() {
  const outcomes = [];
  for (const name of checks) {
    // npm is a script on Windows, which needs a shell.
    const child = spawn("npm", ["run", "--silent", name], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => (output += String(text)));
    }
    outcomes.push({ name, isGreen: (await codeOf(child)) === 0, output });
  }
  return outcomes;
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<number | null>}
 */
function codeOf(child) {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}
