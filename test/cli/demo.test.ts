import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const command = "dist/cli/main.js";
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-demo-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface DemoResult {
  results: { model: string; negentropyDifferencePerPixel: number; seconds: number }[];
}

const results = async (...flags: string[]): Promise<DemoResult["results"]> => {
  const { stdout } = await run(process.execPath, [
    command,
    "demo",
    "--json",
    "--steps",
    "40",
    ...flags,
  ]);
  return (JSON.parse(stdout) as DemoResult).results;
};

describe("gaussianize demo", { timeout: 180_000 }, () => {
  it("prints the same numbers with 1 and with 2 workers, and draws a PNG", async () => {
    const file = join(folder, "demo.png");
    const one = await results("--workers", "1", "-o", file);
    const two = await results("--workers", "2");
    const values = (all: DemoResult["results"]) =>
      all.map((r) => [r.model, r.negentropyDifferencePerPixel]);
    expect(values(one)).toEqual(values(two));
    expect(one.map((r) => r.model)).toEqual(["ICA-MG", "GDN"]);
    for (const { negentropyDifferencePerPixel } of one)
      expect(negentropyDifferencePerPixel).toBeLessThan(-0.5);
    expect((await readFile(file)).subarray(1, 4).toString()).toBe("PNG");
  });

  it("prints, at 1500 steps, the numbers that the README shows", async () => {
    const readme = await readFile("README.md", "utf8");
    const { stdout } = await run(process.execPath, [command, "demo", "--json"]);
    for (const { model, negentropyDifferencePerPixel } of (JSON.parse(stdout) as DemoResult)
      .results) {
      const value = negentropyDifferencePerPixel.toFixed(3).replace("-", "−");
      expect(readme).toMatch(new RegExp(`^${model} +ΔJ ${value} nats per pixel`, "m"));
    }
  });

  it.each([
    [["--steps", "0"], "--steps"],
    [["--steps", "1e3"], "--steps"],
    [["--seed", "-1"], "--seed"],
    [["--sed", "3"], "--seed"],
    [["nonsense"], "too many arguments"],
    [["-o", ""], "--output"],
    [["-o", "a.jpg"], "--output"],
    [["--workers", "9999"], "--workers"],
  ])("refuses %j with exit code 2 and names what is wrong", async (flags, name) => {
    const failure = await run(process.execPath, [command, "demo", ...flags]).then(
      () => undefined,
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect(failure?.code).toBe(2);
    expect(failure?.stderr).toContain(name);
    expect(failure?.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("says in one sentence where the picture cannot be written, with exit code 1", async () => {
    const file = join(folder, "missing", "demo.png");
    const failure = await run(process.execPath, [command, "demo", "--steps", "1", "-o", file]).then(
      () => undefined,
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect(failure?.code).toBe(1);
    expect(failure?.stderr).toContain(file);
  });
});
