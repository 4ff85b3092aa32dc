/** Builds dist/ unless it is up to date. npm runs it after `npm ci` and before tests. */
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuilt } from "./sources.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (!isBuilt()) execFileSync("npm", ["run", "build"], { cwd: root, stdio: "inherit", shell: true });
