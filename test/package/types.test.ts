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
    import { type Density, type Model, densityOf, gdn } from "gaussianize";
    export const layer = gdn({ structure: "radial", dimension: 2, beta: [1], gamma: [1], epsilon: [0.5] });
    export const name = (model: Model): string => model.about.name ?? "";
    export const first = async (density: Density): Promise<number> =>
      (await density.logProb([[1, 2]]))[0] + (await density.logProb({ width: 1, height: 1, pixels: Float32Array.of(0) }));
    export { densityOf };`,
  "gaussianize/node": `
    import { lineChart } from "gaussianize/figures";
    import { fit, openDensity, svgDocument } from "gaussianize/node";
    export const chart = async (): Promise<string> =>
      lineChart(await svgDocument(), { series: [], xLabel: "x", yLabel: "y" });
    export const fitted = async (): Promise<void> => {
      const { density, history } = await fit([[1, 2]], { steps: 1 });
      await density.save(String(history.length));
    };
    export { openDensity };`,
  "gaussianize/browser": `
    import { decodeImage, fit, openDensity, openRunner } from "gaussianize/browser";
    export const bytes = async (address: string): Promise<Uint8Array> =>
      (await openDensity(address)).encode();
    export { decodeImage, fit, openRunner };`,
  "gaussianize/figures": `
    import { type ChartDocument, lineChart } from "gaussianize/figures";
    export const chart = (document: ChartDocument): Promise<string> =>
      lineChart(document, { series: [], xLabel: "x", yLabel: "y" });`,
  ...Object.fromEntries(
    ["denoising", "density", "evaluation", "images", "information", "training"]
      .concat(["transforms", "wavelets"])
      .map((name) => [`gaussianize/${name}`, `export * from "gaussianize/${name}";`]),
  ),
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
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: "ES2022",
      ...environments[environment],
      ...resolutions[resolution],
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
