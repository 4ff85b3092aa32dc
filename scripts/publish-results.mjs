/**
 * Puts a report of `gaussianize paper` into the documentation:
 *
 *   npx gaussianize paper all --data ../shared/data -o report
 *   node scripts/publish-results.mjs report
 *
 * docs/results.md and docs/figures/ are its results.md and figures/.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [report] = process.argv.slice(2);
if (report === undefined) {
  console.error("Which report? node scripts/publish-results.mjs REPORT");
  process.exit(2);
}
const text = readFileSync(join(report, "results.md"), "utf8");
const note =
  "<!-- Made by gaussianize paper and scripts/publish-results.mjs: not to be edited by hand. -->";
rmSync("docs/figures", { recursive: true, force: true });
cpSync(join(report, "figures"), "docs/figures", { recursive: true });
writeFileSync("docs/results.md", `${note}\n\n${text}`);
