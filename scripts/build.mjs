/**
 * Compiles the TypeScript sources into dist/, makes the command executable and bundles the lab into dist/lab.
 *
 * Files are overwritten in place: a program that runs from dist/ meanwhile never finds one missing.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { forgetBuild, rememberBuild } from "./sources.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

forgetBuild();
compile();
removeOrphans();
chmodSync(join(dist, "cli/main.js"), 0o755);
await bundleLab();
rememberBuild();

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

/** New files first, then away with those of before, for the same reason. */
async function bundleLab() {
  const output = await build({ configFile: join(root, "lab/vite.config.ts") });
  const bundles = Array.isArray(output) ? output : [output];
  const files = bundles.flatMap((bundle) => ("output" in bundle ? bundle.output : []));
  const kept = new Set([
    ...files.map(({ fileName }) => fileName),
    ...readdirSync(join(root, "lab/public")),
  ]);
  const folder = join(dist, "lab");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(relative(folder, path).replaceAll(sep, "/"))) rmSync(path);
  }
}

/** The outputs of a source that was renamed or deleted: they would be published. */
function removeOrphans() {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    // The lab is bundled, and cleans up after itself.
    if (name.startsWith("lab")) continue;
    const source = name.replace(/\.(d\.ts|js)(\.map)?$/, ".ts");
    if (source !== name && !existsSync(join(root, source))) rmSync(join(dist, name));
  }
}
