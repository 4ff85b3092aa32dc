/** `gaussianize fit --gradient`: what it accepts, keeps and resumes. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;

async function gaussianize(...arguments_: string[]) {
  const effects = recordEffects();
  const code = await run(arguments_, effects);
  return { code, ...effects.printed };
}

/** Just above the dimension from which "auto" estimates. */
const quick = ["--patch", "11", "--steps", "3", "--batch", "32", "--workers", "0"];
const runIn = (name: string): string => join(folder, name);
const fit = (name: string, ...options: string[]) =>
  gaussianize("fit", images, ...quick, ...options, "-o", runIn(name));
const configOf = async (name: string) =>
  JSON.parse(await readFile(join(runIn(name), "config.json"), "utf8")) as Record<string, unknown>;
const modelOf = (name: string) => readFile(join(runIn(name), "model.safetensors"));

beforeAll(async () => {
  folder = await temporaryFolder("fit-gradient");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
  expect(await fit("auto")).toMatchObject({ code: 0 });
  expect(await fit("exact", "--gradient", "exact")).toMatchObject({ code: 0 });
});

describe("gaussianize fit --gradient", () => {
  test("config.json names it unless it is exact", async () => {
    expect(await configOf("auto")).toMatchObject({ gradient: "auto" });
    expect(await configOf("exact")).not.toHaveProperty("gradient");
    expect(Buffer.compare(await modelOf("auto"), await modelOf("exact"))).not.toBe(0);
  });

  test("auto estimates the first steps, and takes an exact one at the end", async () => {
    const metrics = await readFile(join(runIn("auto"), "metrics.jsonl"), "utf8");
    const lines = metrics
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const isEstimated = lines
      .filter((line) => "samplesPerSecond" in line)
      .map((line) => "gradientEstimate" in line);
    expect(isEstimated[0]).toBe(true);
    expect(isEstimated.at(-1)).toBe(false);
  });

  test("a run without it, as from before there was a choice, resumes as exact", async () => {
    const again = ["fit", "-o", runIn("exact"), "--resume", "--steps", "5", "--workers", "0"];
    expect(await gaussianize(...again)).toMatchObject({ code: 0 });
    expect(await configOf("exact")).not.toHaveProperty("gradient");
    const metrics = await readFile(join(runIn("exact"), "metrics.jsonl"), "utf8");
    expect(metrics).toContain('"step":5');
    expect(metrics).not.toContain("gradientEstimate");
  });

  test.each([
    ["auto", "exact"],
    ["auto", "probes"],
    ["exact", "auto"],
    ["exact", "probes"],
  ])("a run with %s is not resumed with %s", async (name, other) => {
    const again = ["fit", "-o", runIn(name), "--resume", "--gradient", other];
    const { code, stderr } = await gaussianize(...again);
    expect(code).toBe(2);
    expect(stderr).toContain(`has --gradient "${name}", but this command says "${other}"`);
  });

  test.each([
    [["--model", "rg"], "--model rg"],
    [["--model", "gdn-general"], "--model gdn-general"],
    [["--pool-rank", "4"], "--pool-rank 4"],
  ])("probes are refused with %j, before images are read", async (options, received) => {
    const broken = join(folder, "broken.png");
    await writeFile(broken, "no picture");
    const line = ["fit", broken, "--gradient", "probes", ...options, "-o", runIn("refused")];
    const { code, stderr } = await gaussianize(...line);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `--gradient probes is for --model gdn without --pool-rank; received ${received}.`,
    );
  });
});
