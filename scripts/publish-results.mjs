/**
 * Copies a report of `gaussianize paper` into the documentation:
 *
 *   npx gaussianize paper all --data ../shared/data -o report
 *   node scripts/publish-results.mjs report
 *
 * It writes docs/results.md, docs/results.json and docs/figures/. A report of some experiments
 * replaces their sections and adds new ones; other sections stay as they are.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ name: string, title: string, failure?: string,
 *   numbers: readonly { name: string, paper: number | null }[] }} Experiment
 * @typedef {{ quick: boolean, experiments: readonly Experiment[] }} Results
 */

const [report, docs = fileURLToPath(new URL("../docs/", import.meta.url))] = process.argv.slice(2);
if (report === undefined) stop(2, "Which report? node scripts/publish-results.mjs REPORT");
for (const name of ["results.md", "results.json", "figures"]) {
  if (!existsSync(join(report, name))) stop(1, `${report} is not a report: it has no ${name}.`);
}
const made = resultsIn(report);
if (made.quick)
  stop(1, `${report} was made with --quick; the documentation needs the sizes of the paper.`);
for (const { name, failure } of made.experiments) {
  if (failure !== undefined) stop(1, `${name} failed: ${failure}`);
}
const before = existsSync(join(docs, "results.json"))
  ? resultsIn(docs)
  : { ...made, experiments: [] };
const kept = before.experiments.filter(
  ({ name }) => !made.experiments.some((each) => each.name === name),
);
const hasTable = made.experiments.some(hasNumberOfPaper) && !kept.some(hasNumberOfPaper);
const [results, markdown] =
  kept.length === 0
    ? [made, `${note()}\n\n${readFileSync(join(report, "results.md"), "utf8")}`]
    : [{ ...(hasTable ? made : before), experiments: inOrder() }, joined()];

const figures = join(docs, "figures");
mkdirSync(figures, { recursive: true });
for (const file of readdirSync(figures)) {
  if (!kept.some(({ name }) => isFigureOf(name, file))) rmSync(join(figures, file));
}
for (const file of readdirSync(join(report, "figures"))) {
  if (made.experiments.some(({ name }) => isFigureOf(name, file)))
    copyFileSync(join(report, "figures", file), join(figures, file));
}
writeFileSync(join(docs, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
writeFileSync(join(docs, "results.md"), markdown);

function note() {
  return [
    "<!-- Made by gaussianize paper and scripts/publish-results.mjs: not to be edited by hand.",
    "The npm package leaves out the figures. -->",
  ].join("\n");
}

/**
 * Experiments in the published order. New ones come behind the one that precedes them in the
 * report, and at the end if there is none.
 */
function inOrder() {
  const all = [...before.experiments];
  made.experiments.forEach((experiment, k) => {
    const place = all.findIndex(({ name }) => name === experiment.name);
    if (place >= 0) all[place] = experiment;
    else if (k === 0) all.push(experiment);
    else {
      const previous = made.experiments[k - 1].name;
      all.splice(all.findIndex(({ name }) => name === previous) + 1, 0, experiment);
    }
  });
  return all;
}

/** The published page with the sections of the report. */
function joined() {
  const [published, fresh] = [docs, report].map((folder) =>
    readFileSync(join(folder, "results.md"), "utf8").split(/^(?=## )/m),
  );
  const sections = inOrder().map(({ title }) => {
    const heading = `## ${title}\n`;
    const section = [...fresh, ...published].find((text) => text.startsWith(heading));
    return section ?? stop(1, `There is no section “${title}”.`);
  });
  // The table at the head, and the command at the end, are those of the experiments with numbers
  // of the paper.
  const [head, last] = hasTable
    ? [`${note()}\n\n${fresh[0]}`, fresh.at(-1)]
    : [withNewRows(published[0], fresh[0]), published.at(-1)];
  return [head, ...sections, last].join("");
}

/**
 * Replaces the rows of the experiments in the report in the table at the head.
 *
 * @param {string} head
 * @param {string} freshHead
 */
function withNewRows(head, freshHead) {
  const lines = head.split("\n");
  const freshLines = freshHead.split("\n");
  for (const experiment of made.experiments.filter(hasNumberOfPaper)) {
    const old = before.experiments.find(({ name }) => name === experiment.name);
    const stale = old ? rowsOf(old, lines) : [];
    if (stale.length === 0) {
      stop(1, `${experiment.title} is new in the table at the head: publish a report of all.`);
    }
    const rows = rowsOf(experiment, freshLines);
    lines.splice(lines.indexOf(stale[0]), 0, ...rows);
    for (const line of stale) lines.splice(lines.lastIndexOf(line), 1);
  }
  return lines.join("\n");
}

/**
 * Returns the rows with the numbers of an experiment that the paper has, too.
 *
 * @param {Experiment} experiment
 * @param {readonly string[]} lines
 */
function rowsOf({ numbers }, lines) {
  return numbers.flatMap(({ name, paper }) =>
    paper === null ? [] : lines.filter((line) => line.startsWith(`| ${name} |`)),
  );
}

/**
 * @param {string} folder
 * @returns {Results}
 */
function resultsIn(folder) {
  return JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
}

/** @param {Experiment} experiment */
function hasNumberOfPaper({ numbers }) {
  return numbers.some(({ paper }) => paper !== null);
}

/**
 * @param {string} name
 * @param {string} file
 */
function isFigureOf(name, file) {
  return file.startsWith(`${name}-`) && /^\d+\.\w+$/.test(file.slice(name.length + 1));
}

/**
 * @param {number} code
 * @param {string} sentence
 * @returns {never}
 */
function stop(code, sentence) {
  console.error(sentence);
  process.exit(code);
}
