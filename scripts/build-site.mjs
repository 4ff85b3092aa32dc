/**
 * Builds the documentation site into dist/site: the API reference (TypeDoc, which writes Markdown
 * into site/api), all pages (VitePress), and the lab with the live examples (vite). All addresses
 * are relative, so that any web host can serve the site from any folder.
 */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { build as bundle } from "vite";
import { build as buildPages } from "vitepress";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "dist/site");

await buildReference();
mendAnchors(join(root, "site/api"));
// VitePress empties the folder of the site.
await buildPages(join(root, "site"));
await bundle({ configFile: join(root, "site/live/vite.config.ts") });
copyFileSync(join(root, "docs/figures/samples-4.png"), join(site, "samples.png"));
// The guides link to this program.
mkdirSync(join(site, "python"), { recursive: true });
copyFileSync(join(root, "python/gaussianize.py"), join(site, "python/gaussianize.py"));

/** Writes the API reference as Markdown (typedoc.json). A broken link in a comment is an error. */
async function buildReference() {
  const app = await Application.bootstrapWithPlugins({ treatWarningsAsErrors: true });
  const project = await app.convert();
  if (project) await app.generateOutputs(project);
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("TypeDoc reports problems; see above.");
  }
}

/**
 * TypeDoc numbers anchors: "modelabout-1" is ModelAbout, because it counts Model.about as
 * "modelabout". The pages number headings alone. A link to a number that no heading has leads to
 * the heading without a number.
 *
 * @param {string} folder
 */
function mendAnchors(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
  const headings = new Map(files.map((file) => [file, headingCounts(readFileSync(file, "utf8"))]));
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const mended = text.replace(/\(([^)#]*)#(\w+)-(\d+)\)/g, (link, path, name, number) => {
      const target = path === "" ? file : join(dirname(file), path);
      const count = headings.get(target)?.get(name) ?? 0;
      return count > Number(number) ? link : `(${path}#${name})`;
    });
    if (mended !== text) writeFileSync(file, mended);
  }
}

/**
 * Returns how often each name heads a section.
 *
 * @param {string} text
 */
function headingCounts(text) {
  const counts = new Map();
  for (const [, heading] of text.matchAll(/^#+ (\w+)(?=$|[(?<])/gm)) {
    const name = heading.toLowerCase();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
