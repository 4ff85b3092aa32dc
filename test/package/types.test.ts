import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, inject, test } from "vitest";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const project = inject("project");

const entries = {
  gaussianize: `
    import { type ChartDocument, type Model, gdn, lineChart, logProb } from "gaussianize";
    export const layer = gdn({ structure: "radial", dimension: 2, beta: [1], gamma: [1], epsilon: [0.5] });
    export const chart = (document: ChartDocument): Promise<string> =>
      lineChart(document, { series: [], xLabel: "x", yLabel: "y" });
    export const name = (model: Model): string => model.about.name ?? "";
    export { logProb };`,
  "gaussianize/node": `
    import { lineChart } from "gaussianize";
    import { openRunner, svgDocument } from "gaussianize/node";
    export const chart = async (): Promise<string> =>
      lineChart(await svgDocument(), { series: [], xLabel: "x", yLabel: "y" });
    export { openRunner };`,
  "gaussianize/browser": `
    import { decodeImage, openRunner } from "gaussianize/browser";
    export { decodeImage, openRunner };`,
};
const environments = {
  "the DOM and no types of Node": { lib: ["ES2022", "DOM"], types: [] },
  "types of Node and no DOM": { lib: ["ES2022"], types: ["node"] },
};
const resolutions = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};
type Case = readonly [keyof typeof resolutions, keyof typeof environments];
const cases: readonly Case[] = [
  ["nodenext", "the DOM and no types of Node"],
  ["nodenext", "types of Node and no DOM"],
  ["bundler", "the DOM and no types of Node"],
  ["bundler", "types of Node and no DOM"],
];

beforeAll(async () => {
  for (const [name, code] of Object.entries(entries)) {
    await writeFile(join(project, fileOf(name)), code);
  }
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/node", "undici-types"]) {
    const folder = dirname(require.resolve(`${name}/package.json`));
    await symlink(folder, join(project, "node_modules", name), "junction");
  }
});

/** "gaussianize/node" → "gaussianize-node.ts" */
function fileOf(entry: string): string {
  return `${entry.replace("/", "-")}.ts`;
}

test.each(cases)(
  "every entry compiles strictly with moduleResolution %s, %s",
  async (resolution, environment) => {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
      ...{ target: "ES2022", ...environments[environment], ...resolutions[resolution] },
    };
    const config = { compilerOptions, files: Object.keys(entries).map(fileOf) };
    const path = join(project, "tsconfig.json");
    await writeFile(path, JSON.stringify(config));
    const tsc = require.resolve("typescript/bin/tsc");
    const errors = await run(process.execPath, [tsc, "-p", path]).then(
      () => "",
      (error: unknown) => (error as { stdout: string }).stdout,
    );
    expect(errors).toBe("");
  },
);
