/**
 * Copies a report of `gaussianize paper` into the documentation:
 *
 *   npx gaussianize paper all --data ../shared/data -o report
 *   node scripts/publish-results.mjs report
 *
 * It writes docs/results.md, docs/results.json and docs/figures/.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("../docs/", import.meta.url));
const [report] = process.argv.slice(2);
if (report === undefined) stop(2, "Which report? node scripts/publish-results.mjs REPORT");
for (const name of ["results.md", "results.json", "figures"]) {
  if (!existsSync(join(report, name))) stop(1, `${report} is not a report: it has no ${name}.`);
}
const results = JSON.parse(readFileSync(join(report, "results.json"), "utf8"));
if (results.quick)
  stop(1, `${report} was made with --quick; the documentation needs the sizes of the paper.`);
for (const { name, failure } of results.experiments) {
  if (failure !== undefined) stop(1, `${name} failed: ${failure}`);
}

const note = [
  "<!-- Made by gaussianize paper and scripts/publish-results.mjs: not to be edited by hand.",
  "The npm package leaves out the figures. -->",
].join("\n");
const text = readFileSync(join(report, "results.md"), "utf8");
rmSync(join(docs, "figures"), { recursive: true, force: true });
cpSync(join(report, "figures"), join(docs, "figures"), { recursive: true });
cpSync(join(report, "results.json"), join(docs, "results.json"));
writeFileSync(join(docs, "results.md"), `${note}\n\n${text}`);

/**
 * @param {number} code
 * @param {string} sentence
 * @returns {never}
 */
function stop(code, sentence) {
  console.error(sentence);
  process.exit(code);
}
