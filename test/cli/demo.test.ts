import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModel } from "../../node/model-files.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { expectRefusal, runCommand } from "../support/command-models.js";

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

  it("saves the GDN with its scaling and where it comes from, for the other commands", async () => {
    const [file, again] = [join(folder, "gdn.safetensors"), join(folder, "again.safetensors")];
    const [, gdn] = await results("--seed", "4", "--workers", "1", "--save", file);
    const { transform, about } = await readModel(file);
    expect(stagesOf(transform).map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
    expect(about).toMatchObject({
      name: "GDN",
      patch: { width: 8, height: 8, black: 0, white: 1 },
      seed: 4,
      training: { steps: 40, batch: 256 },
      figures: { negentropyDifferenceInNatsPerPixel: gdn.negentropyDifferencePerPixel },
    });
    await results("--seed", "4", "--workers", "2", "--save", again);
    expect(await readFile(again)).toEqual(await readFile(file));

    const { stdout } = await runCommand("sample", file, "-n", "200", "--json", "--workers", "0");
    const { x } = JSON.parse(stdout) as { x: number[][] };
    // Greys have the mean ½: 200 patches give it to about 0.03, and a fit of 40 steps has it only roughly.
    const mean = x.flat().reduce((sum, value) => sum + value, 0) / (200 * 64);
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.15);
    expect((await runCommand("verify", file, "--workers", "0")).code).toBe(0);
    expect((await runCommand("inspect", file)).stdout).toMatch(/^ΔJ +−1\.\d+ nats per pixel$/m);
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
    [["-o", "a.png", "-o", "b.png"], "--output must be given once"],
    [["--save", "a.png"], "--save must be a file name that ends in .safetensors"],
    [["--save", ""], "--save must be"],
    [["--save"], "argument missing"],
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

  it.each([
    ["-o", "missing/demo.png", "there is no folder"],
    ["--save", "missing/gdn.safetensors", "there is no folder"],
    ["--save", "folder.safetensors", "it is a folder"],
  ])("says at once that %s %s cannot be written: %s", async (flag, name, reason) => {
    await mkdir(join(folder, "folder.safetensors"), { recursive: true });
    const file = join(folder, name);
    const ran = await runCommand("demo", flag, file);
    expectRefusal(ran, 1, `Cannot write ${file}: ${reason}`);
  });
});
