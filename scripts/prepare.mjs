/**
 * What npm runs after `npm ci`, and once more, without a word, before the first `npx gaussianize`
 * in a checkout: builds dist/, unless it is that of these sources already.
 */
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuilt } from "./sources.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (!isBuilt()) execFileSync("npm", ["run", "build"], { cwd: root, stdio: "inherit", shell: true });
