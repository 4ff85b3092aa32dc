import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { bundlePage, serveSite } from "../support/bundled-page.js";
import { launchChromium } from "../support/chromium.js";

const run = promisify(execFile);
const project = inject("project");

/** A program that prints log p(x) of three samples. */
const example = (adapter: "node" | "browser", print: string): string => `
import { gdn } from "gaussianize";
import { openDensity } from "gaussianize/${adapter}";
const layer = gdn({ structure: "column", dimension: 2, alpha: [1.5, 2], beta: [1, 1], gamma: [0.5, 0.2, 0.1, 0.4], epsilon: [0.4, 0.3] });
const density = await openDensity(layer, { workers: 1 });
const values = await density.logProb([[1, 2], [-3, 0.5], [0, 0]]);
${print}([...values].join());
`;

async function inNode(): Promise<string> {
  const code = example("node", "console.log");
  const options = { cwd: project };
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], options);
  return stdout.trim();
}

test("the library runs in Node", async () => {
  const values = (await inNode()).split(",").map(Number);
  expect(values.map(Number.isFinite)).toEqual([true, true, true]);
  // The third sample is 0, where y = 0 and ∂y/∂z = I: log p = −log 2π.
  expect(values[2]).toBeCloseTo(-1.8378770664, 6);
});

test("a page that Vite bundles gives the same bits in Chromium", async (context) => {
  const browser = await launchChromium();
  if (typeof browser === "string") {
    if (process.env.CI) throw new Error(browser);
    return context.skip(browser);
  }
  try {
    const page = join(project, "page");
    await mkdir(page, { recursive: true });
    await writeFile(join(page, "main.js"), example("browser", "globalThis.result = "));
    await writeFile(
      join(page, "index.html"),
      '<!doctype html><title>page</title><script type="module" src="./main.js"></script>',
    );
    const server = await serveSite(await bundlePage(pathToFileURL(`${page}/`), true));
    try {
      const opened = await browser.newPage();
      await opened.goto(server.address);
      const result = await opened.waitForFunction(() => (globalThis as { result?: string }).result);
      expect(await result.jsonValue()).toBe(await inNode());
    } finally {
      await server.close();
    }
  } finally {
    await browser.close();
  }
});

test("npx gaussianize demo --steps 50 compares three densities and writes a report", async () => {
  const command = ["--no-install", "gaussianize", "demo", "--steps", "50"];
  const { stdout } = await run("npx", command, { cwd: project });
  expect(stdout).toMatch(/^ICA-MG .*\nRG .*\nGDN /m);
  expect(stdout).toMatch(/^Denoising that photograph .* → \d+\.\d+ dB$/m);
  expect(statSync(join(project, "gaussianize-demo.html")).size).toBeGreaterThan(100_000);
});

test("npx gaussianize lab serves the photographs and the model files", async () => {
  const lab = join(project, "node_modules/gaussianize/dist/lab");
  const copies = JSON.parse(readFileSync(join(lab, "copies.json"), "utf8")) as object;
  const names = Object.keys(copies);
  expect(names.filter((name) => name.endsWith(".jpg"))).toHaveLength(8);
  expect(names.some((name) => name.includes("guided-25"))).toBe(true);
  const main = join(project, "node_modules/.bin/gaussianize");
  const server = spawn(main, ["lab", "--port", "0", "--json"], { cwd: project });
  try {
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const { address } = JSON.parse(line.toString()) as { address: string };
    for (const name of ["index.html", ...names]) {
      const response = await fetch(new URL(name, address));
      expect(response.status, name).toBe(200);
      expect((await response.arrayBuffer()).byteLength, name).toBeGreaterThan(500);
    }
  } finally {
    server.kill("SIGINT");
    await once(server, "exit");
  }
});
