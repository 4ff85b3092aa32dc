/**
 * Builds the documentation site into dist/site: the API reference (TypeDoc, which writes Markdown
 * into site/api), all pages (VitePress), and the lab with the live examples (vite). All addresses are relative, so that any web host
 * can serve the site from any folder.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { build as bundle } from "vite";
import { build as buildPages } from "vitepress";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "dist/site");

await buildReference();
// VitePress empties the folder of the site.
await buildPages(join(root, "site"));
await bundle({ configFile: join(root, "site/live/vite.config.ts") });
copyFileSync(join(root, "docs/figures/samples-4.png"), join(site, "samples.png"));
// The guides link to this program.
mkdirSync(join(site, "python"), { recursive: true });
copyFileSync(join(root, "python/gaussianize.py"), join(site, "python/gaussianize.py"));

/** Writes the Markdown of the API reference. Follows typedoc.json. A broken link in a comment is an error. */
async function buildReference() {
  const app = await Application.bootstrapWithPlugins({ treatWarningsAsErrors: true });
  const project = await app.convert();
  if (project) await app.generateOutputs(project);
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("TypeDoc reports problems; see above.");
  }
}
