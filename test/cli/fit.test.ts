import { access, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { readPatchModel } from "../../node/model-files.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { type RecordedEffects, recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;
beforeAll(async () => {
  folder = await temporaryFolder("fit");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function gaussianize(
  arguments_: readonly string[],
  effects: RecordedEffects = recordEffects(),
): Promise<Ran> {
  const code = await run(arguments_, effects);
  return { code, ...effects.printed };
}

/** The clock is read at every step: after some of them somebody presses Ctrl-C. */
function impatientEffects(): RecordedEffects {
  const stop = new AbortController();
  const effects = recordEffects();
  const now = (): number => {
    const time = effects.now();
    if (time > 100) stop.abort(Object.assign(new Error("stopped"), { exitCode: 130 }));
    return time;
  };
  return { ...effects, now, interruption: () => stop.signal };
}

const quick = ["--patch", "4", "--steps", "40", "--batch", "64", "--workers", "0"];
const output = (name: string): string => join(folder, name);

describe("gaussianize fit", () => {
  test("writes a configuration, metrics and a model that describes how it reads images", async () => {
    const { code, stdout, stderr } = await gaussianize([
      "fit",
      images,
      ...quick,
      "-o",
      output("gdn"),
    ]);
    // On a busy machine, phases that take their time are announced.
    expect({ code, stderr: stderr.replace(/^.* …\n/gm, "") }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^GDN: 40 steps on 4 images in .*\nΔJ −.* nats per pixel on 1 held-out image \(log-likelihood .* nats per patch\)\nWrote /,
    );
    expect((await readdir(output("gdn"))).sort()).toEqual([
      "checkpoint.safetensors",
      "config.json",
      "metrics.jsonl",
      "model.safetensors",
    ]);
    const { transform, about } = await readPatchModel(join(output("gdn"), "model.safetensors"));
    expect(stagesOf(transform).map(({ kind }) => kind)).toEqual(["pointwise", "gdn"]);
    expect(about).toMatchObject({
      name: "GDN",
      patch: { width: 4, height: 4, luminance: "linear", removeMean: false, black: 0, white: 1 },
      preprocessing: { dequantization: "uniform", curve: "logistic", stages: 1 },
      data: { images: 5, trainingImages: 4, heldOutImages: 1, skippedImages: 0 },
      training: { steps: 40, batch: 64, optimiser: "adam" },
      seed: 1,
    });
    const lines = (await readFile(join(output("gdn"), "metrics.jsonl"), "utf8")).trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.at(-1)).toHaveProperty("heldOut");
    expect(records.filter((record) => "meanLogProb" in record)).toHaveLength(40);
  });

  test("names slow phases before the first step in a log", async () => {
    const effects = recordEffects();
    const later = (_: number, act: () => void) => {
      act();
      return () => undefined;
    };
    const line = ["fit", images, ...quick, "--steps", "1", "-o", output("told")];
    const { code, stderr } = await gaussianize(line, { ...effects, later });
    expect(code).toBe(0);
    expect(stderr).toContain("fitting the nonlinearity …\n");
  });

  test.each(["ica-mg", "rg", "lp", "isa", "gdn-general"])("fits %s", async (model) => {
    const { code, stdout } = await gaussianize([
      "fit",
      images,
      "--model",
      model,
      ...quick,
      "-o",
      output(model),
      "--json",
    ]);
    expect(code).toBe(0);
    const { heldOut } = JSON.parse(stdout) as {
      heldOut: { negentropyDifferencePerDimension: number };
    };
    expect(heldOut.negentropyDifferencePerDimension).toBeLessThan(-0.3);
  });

  test("sets everything that a protocol implies", async () => {
    const ran = await gaussianize([
      "fit",
      images,
      "--protocol",
      "bsds63",
      "--steps",
      "5",
      "--batch",
      "64",
      "--workers",
      "0",
      "-o",
      output("bsds63"),
    ]);
    expect(ran.code).toBe(0);
    const { transform, about } = await readPatchModel(join(output("bsds63"), "model.safetensors"));
    expect(transform.dimension).toBe(63);
    expect(about.patch).toEqual({ width: 8, height: 8, luminance: "grey", removeMean: true });
    expect(about.preprocessing).toMatchObject({ dequantization: "uniform", protocol: "bsds63" });
    const evaluated = await gaussianize([
      "evaluate",
      join(output("bsds63"), "model.safetensors"),
      images,
      "--patches",
      "200",
      "--workers",
      "0",
      "--json",
    ]);
    expect(JSON.parse(evaluated.stdout)).toMatchObject({ dimension: 63, patches: 200 });
  });

  test("fits a density of noisy patches, which records its noise level", async () => {
    const line = ["fit", images, "--noise-level", "25", ...quick, "-o", output("noisy")];
    expect((await gaussianize(line)).code).toBe(0);
    const { transform, about } = await readPatchModel(join(output("noisy"), "model.safetensors"));
    expect(stagesOf(transform).map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
    expect(about.patch).toMatchObject({ luminance: "grey" });
    expect(about.preprocessing).toMatchObject({ dequantization: "none", noiseLevel: 25 / 255 });
    const evaluated = await gaussianize([
      "evaluate",
      join(output("noisy"), "model.safetensors"),
      images,
      "--patches",
      "200",
      "--workers",
      "0",
      "--json",
    ]);
    expect(JSON.parse(evaluated.stdout)).toMatchObject({ patches: 200 });
  });

  test.each([
    [["--protocol", "bsds64"], "--noise-level and --protocol contradict each other"],
    [["--no-noise"], "--noise-level and --no-noise contradict each other"],
    [["--preprocessing", "logistic"], "--preprocessing must be standardize with --noise-level"],
  ])("rejects --noise-level with %j", async (options, sentence) => {
    const line = ["fit", images, "--noise-level", "25", ...options, "-o", output("refused")];
    const { code, stderr } = await gaussianize(line);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test("names, counts and skips unusable files; --strict fails on the first", async () => {
    const mixed = join(folder, "mixed");
    await mkdir(mixed);
    await writeScenes(mixed, 3);
    const whole = await readFile(join(mixed, "scene1.png"));
    await writeFile(join(mixed, "half.png"), whole.subarray(0, whole.length / 2));
    await writeFile(join(mixed, "words.png"), "these are words");
    const arguments_ = ["fit", mixed, ...quick, "-o"];
    const { code, stdout, stderr } = await gaussianize([...arguments_, output("mixed-run")]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/GDN: 40 steps on 2 images/);
    expect(stderr).toMatch(/half\.png/);
    expect(stderr).toMatch(/words\.png/);
    expect(stdout).toMatch(/Skipped 2 unusable images/);
    const strict = await gaussianize([...arguments_, output("strict-run"), "--strict"]);
    expect(strict.code).toBe(1);
    expect(strict.stderr).toMatch(/words\.png/);
  });

  test("holds out nothing of a single image, and says so", async () => {
    const { code, stdout } = await gaussianize([
      "fit",
      join(images, "scene0.png"),
      ...quick,
      "-o",
      output("single"),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/No image was held out/);
  });

  test("keeps its steps after Ctrl-C, and resumes with the same bytes", async () => {
    const whole = output("whole");
    const arguments_ = ["fit", images, ...quick, "--seed", "3"];
    expect((await gaussianize([...arguments_, "-o", whole])).code).toBe(0);
    const interrupted = output("interrupted");
    const first = await gaussianize([...arguments_, "-o", interrupted], impatientEffects());
    expect(first.code).toBe(130);
    expect(first.stderr).toMatch(
      /Interrupted; [1-9]\d* of 40 steps are kept\. Resume with:\n {2}gaussianize fit -o .*interrupted --resume\n$/,
    );
    await expect(access(join(interrupted, "model.safetensors"))).rejects.toThrow();
    // `inspect` shows the model so far.
    const seen = await gaussianize(["inspect", join(interrupted, "preview.safetensors"), "--json"]);
    expect([seen.code, JSON.parse(seen.stdout)]).toMatchObject([0, { about: { name: "GDN" } }]);
    const second = await gaussianize(["fit", "-o", interrupted, "--resume", "--workers", "0"]);
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(/Resuming after [1-9]\d* steps?\./);
    const [a, b] = await Promise.all(
      [whole, interrupted].map((run) => readFile(join(run, "model.safetensors"))),
    );
    expect(b.equals(a)).toBe(true);
    await expect(access(join(interrupted, "preview.safetensors"))).rejects.toThrow();
    const steps = (await readFile(join(interrupted, "metrics.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { step: number; heldOut?: object })
      .filter((record) => !record.heldOut)
      .map(({ step }) => step);
    expect(steps).toEqual([...new Set(steps)].sort((x, y) => x - y));
    const third = await gaussianize(["fit", "-o", interrupted, "--resume"]);
    expect(third.code).toBe(0);
    expect(third.stderr).toMatch(/is already finished/);
    expect(third.stdout).toMatch(/^GDN: 40 steps on 4 images\nΔJ/);
  });

  test("fits layers on top of each other, interrupted or not, for all other commands", async () => {
    const arguments_ = ["fit", images, ...quick, "--layers", "2", "--greedy", "0.5"];
    const [whole, stopped] = [output("two"), output("two-stopped")];
    const { stdout } = await gaussianize([...arguments_, "-o", whole]);
    expect(stdout).toMatch(/^GDN, 2 layers: 40 steps on 4 images/);
    expect((await gaussianize([...arguments_, "-o", stopped], impatientEffects())).code).toBe(130);
    const other = await gaussianize(["fit", "-o", stopped, "--resume", "--layers", "1"]);
    expect(other.stderr).toMatch(/has --layers 2, but this command says 1/);
    const going = await gaussianize(["fit", "-o", stopped, "--resume", "--workers", "0"]);
    expect(going.stderr).toMatch(/Resuming after [1-9]\d* steps?\./);
    expect(going.code).toBe(0);
    const [model, resumed] = [whole, stopped].map((run) => join(run, "model.safetensors"));
    expect((await readFile(resumed)).equals(await readFile(model))).toBe(true);
    const picture = join(folder, "two.png");
    const inspected = await gaussianize(["inspect", model, "-o", picture]);
    expect(inspected.stdout).toMatch(
      /GDN, 2 layers, 4×4 patches\n\n16 dimensions, .* in 2 layers\n/,
    );
    expect(inspected.stderr).toMatch(
      /16 filters, and the weights γ, 16×16, both of the first of 2 layers/,
    );
    const scene = join(images, "scene0.png");
    for (const line of [
      ["evaluate", model, scene, "--patches", "100", "--workers", "0"],
      ["sample", model, "-n", "4", "-o", join(folder, "two-samples.png"), "--workers", "0"],
      ["verify", model, scene, "--samples", "20", "--workers", "0"],
      ["export", model, "--npz", join(folder, "two.npz")],
    ]) {
      expect(await gaussianize(line), line[0]).toMatchObject({ code: 0 });
    }
  });

  test("resumes with the same command line, and rejects other options or images", async () => {
    const own = join(folder, "own");
    await mkdir(own);
    await writeScenes(own, 3);
    const runFolder = output("changed");
    const arguments_ = ["fit", own, ...quick, "-o", runFolder];
    expect((await gaussianize(arguments_, impatientEffects())).code).toBe(130);
    const other = await gaussianize([...arguments_, "--resume", "--seed", "5"]);
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toMatch(/has --seed 1, but this command says 5/);
    await writeScenes(own, 1);
    await writeFile(join(own, "scene1.png"), await readFile(join(own, "scene2.png")));
    const alone = await gaussianize(["fit", "-o", runFolder, "--resume", "--seed", "5"]);
    expect(alone.stderr).toBe(other.stderr);
    const changed = await gaussianize([...arguments_, "--resume"]);
    expect(changed).toMatchObject({ code: 1 });
    expect(changed.stderr).toMatch(/images of the run in .* have changed since it began/);
  });

  test.each([
    [["fit"], 2, "required option '-o, --output <run>'"],
    [["fit", "-o", "new"], 2, "No images given"],
    [["fit", "nowhere", "-o", "new"], 1, "nowhere"],
    [
      ["fit", "--embedded", "--patch", "16x16", "-o", "new"],
      2,
      '--patch must be a whole number from 2 to 32, in digits; received "16x16"',
    ],
    [
      ["fit", "--embedded", "--layers", "13", "-o", "new"],
      2,
      "--layers must be a whole number from 1 to 12",
    ],
    [
      ["fit", "--embedded", "--steps", "-5", "-o", "new"],
      2,
      "--steps must be a whole number of at least 1",
    ],
    [
      ["fit", "--embedded", "--model", "gnd", "-o", "new"],
      2,
      '--model must be gdn, gdn-general, ica-mg, rg, lp or isa (did you mean gdn?); received "gnd"',
    ],
    [
      ["fit", "--embedded", "--modle", "gdn", "-o", "new"],
      2,
      "unknown option '--modle'. Did you mean --model?",
    ],
    [
      ["fit", "--embedded", "--held-out", "2", "-o", "new"],
      2,
      "--held-out must be a number from 0 to 0.9",
    ],
    [["fit", "--embedded", "--rate", "0", "-o", "new"], 2, "--rate must be a number above 0"],
    [
      ["fit", "--embedded", "--remove-mean", "--preprocessing", "logistic", "-o", "new"],
      2,
      "--preprocessing must be standardize",
    ],
    [["fit", "-o", "new", "--resume"], 2, "No run to resume in new."],
    [
      ["fit", "--embedded", "--protocol", "bsds63", "--patch", "16", "-o", "new"],
      2,
      "--protocol bsds63 already sets --patch",
    ],
    [["fit", "--embedded", "--greedy", "0.2", "-o", "new"], 2, "--greedy is for several --layers"],
    [["fit", "--embedded", "--subspace", "2", "-o", "new"], 2, "--subspace is for --model isa"],
    [
      ["fit", "--embedded", "--model", "isa", "--patch", "2", "--subspace", "8", "-o", "new"],
      2,
      "--subspace must be at most 4, the pixels of a patch; received 8",
    ],
    [["fit", "--embedded", "--optimiser", "sgd", "-o", "new"], 2, "sgd needs --rate"],
    [["fit", "--embedded", "--force", "--resume", "-o", "new"], 2, "either --resume or --force"],
    [["fit", "--embedded", "x.png", "-o", "new"], 2, "either images or --embedded"],
    [["fit", "--embedded", "-o", "/proc/run"], 1, "Cannot write /proc/run"],
  ])("rejects %j with exit code %i and a sentence", async (arguments_, code, sentence) => {
    const ran = await gaussianize(arguments_);
    expect(ran.stderr).toContain(sentence);
    expect(ran.stderr.trim().split("\n")).toHaveLength(1);
    expect(ran).toMatchObject({ code, stdout: "" });
  });

  test("keeps a run or other files in its folder", async () => {
    const taken = output("taken");
    await mkdir(taken);
    await writeFile(join(taken, "thesis.txt"), "mine");
    // Others keep theirs under that name, too.
    await writeFile(join(taken, "config.json"), '{"architectures":["a network"]}');
    const ran = await gaussianize(["fit", images, ...quick, "-o", taken, "--force"]);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stderr).toMatch(/must be a new or an empty folder; .* holds other files/);
    const again = await gaussianize(["fit", images, ...quick, "-o", output("gdn")]);
    expect(again).toMatchObject({ code: 2 });
    expect(again.stderr).toMatch(
      /already holds a run: resume it with --resume, or replace it with --force/,
    );
  });

  test("rejects constant images, and images smaller than the patches", async () => {
    const flat = join(folder, "flat");
    await mkdir(flat);
    const { writePng } = await import("../../node/figures.js");
    const pixels = new Float32Array(40 * 40).fill(0.5);
    for (const name of ["a.png", "b.png"]) {
      await writePng(join(flat, name), { width: 40, height: 40, pixels });
    }
    const constant = await gaussianize([
      "fit",
      flat,
      "--no-noise",
      ...quick,
      "-o",
      output("flat-run"),
    ]);
    expect(constant.code).toBe(1);
    expect(constant.stderr).toMatch(/vary/);
    const tiny = join(folder, "tiny.png");
    await writePng(tiny, { width: 3, height: 3, pixels: new Float32Array(9) });
    const tooSmall = await gaussianize(["fit", tiny, "--patch", "8", "-o", output("tiny-run")]);
    expect(tooSmall).toMatchObject({ code: 1 });
    expect(tooSmall.stderr).toMatch(/tiny\.png is 3×3 pixels/);
  });
});
