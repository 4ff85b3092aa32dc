import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { writePng } from "../../node/figures.js";
import { readModel } from "../../node/model-files.js";
import type { FitProgress } from "../../src/training/image-fit.js";
import { type RecordedEffects, recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;
beforeAll(async () => {
  folder = await temporaryFolder("fit-cascade");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 4);
});

async function gaussianize(
  arguments_: readonly string[],
  effects: RecordedEffects = recordEffects(),
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const code = await run(arguments_, effects);
  return { code, ...effects.printed };
}

/** The clock is read at every step: after some of them somebody presses Ctrl-C. */
function impatientEffects(steps: number): RecordedEffects {
  const stop = new AbortController();
  const effects = recordEffects();
  const now = (): number => {
    const time = effects.now();
    if (time > steps) stop.abort(Object.assign(new Error("stopped"), { exitCode: 130 }));
    return time;
  };
  return { ...effects, now, interruption: () => stop.signal };
}

const quick = [
  "--steps",
  "12",
  "--batch",
  "64",
  "--workers",
  "0",
  "--preprocessing",
  "standardize",
];

describe("gaussianize fit --cascade", () => {
  test("fits whole images, interrupted or not, to the same bytes", async () => {
    const arguments_ = ["fit", images, "--cascade", "small", "--greedy", "0.5", ...quick];
    const whole = join(folder, "whole");
    const { code, stdout, stderr } = await gaussianize([...arguments_, "-o", whole]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^CICA–GDN–CICA–GDN, 16 filters of 8×8: 12 steps on 3 images in .*\nΔJ −.* nats per pixel on 1 held-out image \(log-likelihood .* nats per pixel\)\nWrote /,
    );
    const stopped = join(folder, "stopped");
    const first = await gaussianize([...arguments_, "-o", stopped], impatientEffects(30));
    expect(first.code).toBe(130);
    const [kept = ""] = /[1-9]\d* of 12 steps are kept/.exec(first.stderr) ?? [];
    expect(kept).not.toBe("");
    // Interrupted again, before its first step: the steps of before are still there.
    const resume = ["fit", "-o", stopped, "--resume", "--workers", "0"];
    const early = await gaussianize(resume, impatientEffects(8));
    expect(early.code).toBe(130);
    expect(early.stderr).toContain(`Interrupted; ${kept}`);
    expect(early.stderr).not.toContain("Resuming");
    const second = await gaussianize(resume);
    expect(second.stderr).toMatch(/Resuming after \d+ steps?\./);
    const [one, other] = await Promise.all(
      [whole, stopped].map((path) => readFile(join(path, "model.safetensors"))),
    );
    expect(one.equals(other)).toBe(true);
    const { transform, about } = await readModel(join(whole, "model.safetensors"));
    expect(transform).toMatchObject({ kind: "image-cascade", stride: 4 });
    expect(about.patch).toMatchObject({ width: 4, height: 4, luminance: "linear" });
    expect(about.figures?.smallestSingularValue).toBeGreaterThan(0);
    const metrics = await readFile(join(whole, "metrics.jsonl"), "utf8");
    expect(metrics).toMatch(/"smallestSingularValue":0\.\d/);
    const again = await gaussianize(["fit", "-o", whole, "--resume", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ steps: 12, heldOutImages: 1 });
    const otherwise = await gaussianize(["fit", "-o", whole, "--resume", "--cascade", "paper"]);
    expect(otherwise.stderr).toContain('has --cascade "small", but this command says "paper"');
    const config = JSON.parse(await readFile(join(whole, "config.json"), "utf8")) as object;
    // Cascades always are: the term would say what nobody asked for.
    expect(config).not.toHaveProperty("certified");
  });

  test("resumes with the options of the run, and rejects others", async () => {
    const path = join(folder, "marginal");
    const arguments_ = ["--cascade", "small", "--second", "marginal", "--greedy", "0.5"];
    const begun = await gaussianize(["fit", images, ...arguments_, ...quick, "-o", path]);
    expect(begun.code).toBe(0);
    const resume = (...more: string[]) => gaussianize(["fit", "-o", path, "--resume", ...more]);
    // Without --cascade: that is what the run says.
    for (const more of [
      ["--second", "marginal"],
      ["--greedy", "0.5"],
      ["--stages", "2"],
    ]) {
      const { code, stderr } = await resume(...more);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `The run in ${path} is already finished.\n`,
      });
    }
    for (const [more, sentence] of [
      [["--second", "gdn"], 'has --second "marginal", but this command says "gdn"'],
      [["--cascade", "small", "--second", "gdn"], 'has --second "marginal", but'],
      [["--greedy", "0.4"], "has --greedy 0.5, but this command says 0.4"],
      [["--stages", "1"], "has --stages 2, but this command says 1"],
      [["--certified"], "--certified is for patches"],
      [["--model", "gdn"], "--model is for patches"],
    ] as const) {
      const { code, stderr } = await resume(...more);
      expect(stderr).toContain(sentence);
      expect(code).toBe(2);
    }
  });

  test("shows locations per second, and ΔJ in nats per pixel as in the result", async () => {
    const path = join(folder, "crops");
    const arguments_ = ["fit", images, "--cascade", "small", "--stages", "1", ...quick];
    // A clock that is fast enough for a line at every step: they are 100 ms apart at least.
    const recorded = recordEffects();
    const now = (): number => 100 * recorded.now();
    const effects = { ...recorded, now, stderr: { ...recorded.stderr, isTerminal: true } };
    const { code, stderr } = await gaussianize(
      [...arguments_, "--batch", "20", "-o", path],
      effects,
    );
    expect(code).toBe(0);
    const { about } = await readModel(join(path, "model.safetensors"));
    expect(about.training?.batch).toBe(16);
    const metrics = (await readFile(join(path, "metrics.jsonl"), "utf8")).trim().split("\n");
    const differences = metrics.flatMap((line) => {
      const { negentropyDifferencePerDimension: value } = JSON.parse(line) as Partial<FitProgress>;
      return value === undefined ? [] : [value.toFixed(3).replace("-", "−")];
    });
    const lines = /ΔJ (−?\d+\.\d+) nats per pixel.* locations\/s/g;
    const shown = Array.from(stderr.matchAll(lines), ([, difference]) => difference);
    expect(shown.length).toBeGreaterThan(0);
    expect(differences).toEqual(expect.arrayContaining(shown));
    const again = await gaussianize(["fit", "-o", path, "--resume", "--batch", "20"]);
    expect(again.code).toBe(0);
  });

  test("names the problem of a single image once, and speaks of crops", async () => {
    const small = join(folder, "small.png");
    await writePng(small, { width: 24, height: 24, pixels: new Float32Array(576) });
    const path = join(folder, "too-small");
    const { code, stderr } = await gaussianize(["fit", small, "--cascade", "small", "-o", path]);
    expect(code).toBe(1);
    const sentence = "is 24×24 pixels, smaller than the 28×28 crops that a fit looks at.";
    expect(stderr.split(sentence)).toHaveLength(2);
    expect(stderr).not.toContain("skipped");
  });

  test("fits noisy images with one stage", async () => {
    const path = join(folder, "noisy");
    const arguments_ = [
      "fit",
      images,
      "--cascade",
      "small",
      "--stages",
      "1",
      "--noise-level",
      "25",
    ];
    const { code } = await gaussianize([...arguments_, ...quick, "--json", "-o", path]);
    expect(code).toBe(0);
    const { transform, about } = await readModel(join(path, "model.safetensors"));
    expect("stages" in transform && transform.stages.map(({ kind }) => kind)).toEqual([
      "affine",
      "convolution",
      "gdn",
    ]);
    expect(about.preprocessing).toMatchObject({ noiseLevel: 25 / 255 });
    expect(about.patch?.luminance).toBe("grey");
  });

  test.each([
    [["--patch", "8"], "--patch is for patches; --cascade small fits whole images"],
    [["--layers", "2"], "--layers is for patches"],
    [["--protocol", "bsds64"], "--protocol is for patches"],
    [["--remove-mean"], "--remove-mean is for patches"],
    [["--model", "rg"], "--model is for patches"],
    [["--stages", "1", "--greedy", "0.5"], "--greedy is for a cascade of 2 --stages"],
    [["--certified"], "--certified is for patches: a --cascade always keeps q below 1."],
    [["--greedy", "1", "--patience", "2"], "--patience works only if all layers or stages"],
    [["--patience", "2"], "fitted together from the start: add --greedy 0."],
    [["--stages", "3"], "--stages must be a whole number from 1 to 2"],
  ])("rejects %j with a sentence", async (more, sentence) => {
    const arguments_ = ["fit", "--embedded", "--cascade", "small", ...more, "-o", "new"];
    const { code, stderr } = await gaussianize(arguments_);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });

  test("rejects options of cascades without --cascade", async () => {
    const stages = await gaussianize(["fit", "--embedded", "--stages", "1", "-o", "new"]);
    expect([stages.code, stages.stderr]).toEqual([2, expect.stringContaining("is for --cascade")]);
    const greedy = await gaussianize([
      "fit",
      "--embedded",
      "--layers",
      "2",
      "--greedy",
      "1",
      "-o",
      "new",
    ]);
    expect(greedy.stderr).toContain("--greedy must be a number from 0 to 0.9 with --layers");
    const large = await gaussianize(["fit", "--embedded", "--cascade", "large", "-o", "new"]);
    expect(large.stderr).toContain("--cascade must be small, medium or paper");
  });
});
