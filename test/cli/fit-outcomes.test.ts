/**
 * Tests how fits begin and end: with few usable images, without a first step, with a useless
 * result, and with more steps than before.
 */
import { access, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { tarBytes } from "../../bench/tar-blocks.js";
import { type FitOutcome, outcomeText } from "../../cli/fit/outcome.js";
import { run } from "../../cli/run.js";
import { writePng } from "../../node/figures.js";
import { findImages } from "../../node/find-images.js";
import { readPatchModel } from "../../node/model-files.js";
import { RunFolder } from "../../node/run-folder.js";
import { runCommand, type RecordedEffects, recordEffects } from "../support/commands.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

vi.mock(import("../../node/find-images.js"), { spy: true });

let folder: string;
let images: string;
let damaged: readonly string[];
let flat: string;
beforeAll(async () => {
  folder = await temporaryFolder("fit-outcomes");
  images = join(folder, "images");
  flat = join(folder, "flat.png");
  await mkdir(images);
  await writeScenes(images, 4);
  await writePng(flat, { width: 40, height: 40, pixels: new Float32Array(1600).fill(0.5) });
  const whole = await readFile(join(images, "scene1.png"));
  damaged = [join(folder, "bad1.png"), join(folder, "bad2.png")];
  for (const path of damaged) await writeFile(path, whole.subarray(0, whole.length / 2));
});

afterEach(() => {
  vi.clearAllMocks();
});

const at = (name: string): string => join(folder, name);
const good = (): string => join(images, "scene0.png");
const small = ["--patch", "2", "--batch", "32", "--preprocessing", "standardize", "--workers", "0"];
const modelIn = (path: string): Promise<Buffer> => readFile(join(path, "model.safetensors"));

/** Ctrl-C after some steps: the clock is read at each. */
function stoppedEffects(): RecordedEffects {
  const stop = new AbortController();
  const effects = recordEffects();
  const now = (): number => {
    const time = effects.now();
    if (time > 30) stop.abort(Object.assign(new Error("stopped"), { exitCode: 130 }));
    return time;
  };
  return { ...effects, now, interruption: () => stop.signal };
}

describe("a fit of few usable images", () => {
  test.each([1, 2, 3, 4])(
    "trains on the only usable image, whatever the seed: %i",
    async (seed) => {
      const output = at(`seed${seed}`);
      const terms = [...small, "--steps", "1", "--seed", `${seed}`];
      const ran = await runCommand("fit", good(), ...damaged, ...terms, "-o", output);
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stdout).toMatch(
        /1 step on 1 image .*\nNo image was held out: .*\nSkipped 2 unusable images/,
      );
    },
  );

  test("keeps an image to train on with half held out, and counts damaged ones", async () => {
    const ten = at("ten");
    await mkdir(ten);
    const [whole, half] = [await readFile(good()), await readFile(damaged[0])];
    for (let k = 0; k < 10; k++) await writeFile(join(ten, `${k}.png`), k % 5 < 3 ? whole : half);
    for (const seed of ["1", "2", "3", "4", "5", "6"]) {
      const terms = [...small, "--steps", "1", "--seed", seed, "--held-out", "0.5"];
      const ran = await runCommand("fit", ten, ...terms, "-o", at(`ten${seed}`));
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stdout).toMatch(
        /1 step on [1-3] image.*\n.*on [3-5] held-out images .*\nSkipped 4 unusable images/,
      );
    }
  });

  test("finds it in an archive", async () => {
    const content = await readFile(good());
    const bad = await readFile(damaged[0]);
    const archive = at("one.tar");
    const members = [0, 1, 2, 3].map((k) => ({
      name: `${k}.png`,
      content: k === 2 ? content : bad,
    }));
    await writeFile(archive, tarBytes(members));
    for (const seed of ["1", "2", "3"]) {
      const terms = [...small, "--steps", "1", "--seed", seed, "--held-out", "0.5"];
      const ran = await runCommand("fit", archive, ...terms, "-o", at(`archive${seed}`));
      expect(ran).toMatchObject({ code: 0 });
    }
  });
});

describe("a fit that fails before its first step", () => {
  test("leaves nothing behind, so the next fit can begin", async () => {
    const output = at("made/for/it");
    const failed = await runCommand("fit", flat, "--no-noise", ...small, "-o", output);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/vary/);
    await expect(access(at("made"))).rejects.toThrow();
    const next = await runCommand("fit", good(), ...small, "--steps", "1", "-o", output);
    expect(next).toMatchObject({ code: 0 });
  });

  test("keeps an empty folder, and with --force the earlier run", async () => {
    const empty = at("empty");
    await mkdir(empty);
    expect((await runCommand("fit", ...damaged, ...small, "-o", empty)).code).toBe(1);
    expect(await readdir(empty)).toEqual([]);
    const output = at("before");
    await runCommand("fit", good(), ...small, "--steps", "2", "-o", output);
    const names = await readdir(output);
    const [config, model] = [await readFile(join(output, "config.json")), await modelIn(output)];
    const failed = await runCommand("fit", flat, "--no-noise", ...small, "-o", output, "--force");
    expect(failed.code).toBe(1);
    expect(await readdir(output)).toEqual(names);
    expect(await readFile(join(output, "config.json"))).toEqual(config);
    expect(await modelIn(output)).toEqual(model);
  });
});

describe("a fit whose result is useless", () => {
  test.each([
    { what: "held-out images", heldOut: "0.5", images: 2 },
    { what: "training samples", heldOut: "0", images: 0 },
  ])("reports $what, exits with code 1 and keeps the last good model", async (own) => {
    const output = at(`useless-${own.heldOut}`);
    const line = ["fit", images, ...small, "--rate", "1000", "--steps", "30"];
    const ran = await runCommand(...line, "--held-out", own.heldOut, "-o", output, "--json");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^gaussianize fit: The fit failed: .*\. --rate 1000 (may be|is) too large: start again with --rate 0\.04 --force\. The last/,
    );
    const lastGood = join(output, "last-good.safetensors");
    expect(JSON.parse(ran.stdout)).toMatchObject({
      model: lastGood,
      problem: expect.stringMatching(/^The fit failed: .*\.$/) as unknown,
      heldOutImages: own.images,
    });
    expect(ran.stderr).not.toContain("No image was held out");
    await expect(access(join(output, "model.safetensors"))).rejects.toThrow();
    const { about } = await readPatchModel(lastGood);
    expect(about.training).toHaveProperty("problem");
    const text = await runCommand(...line, "--held-out", own.heldOut, "-o", output, "--resume");
    expect(text).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("failed") as unknown,
    });
  });
});

test.each([
  ["20", "Use more --steps, such as 8000, and --force: 20 steps may be too few."],
  [
    "100",
    "Use more images, --held-out 0 or --rate 0.01, and --force: the held-out images may be unlike the 1 training image.",
  ],
])(
  "names the likeliest remedy first if the rate is the default: %s steps",
  async (steps, advice) => {
    const noise = at("noise.png");
    const pixels = Float32Array.from({ length: 1600 }, (_, k) => (k * 7919) % 2);
    await writePng(noise, { width: 40, height: 40, pixels });
    const line = ["fit", good(), noise, ...small, "--held-out", "0.5", "--steps", steps];
    const output = at(`unlike${steps}`);
    const ran = await runCommand(...line, "-o", output);
    expect(ran.code).toBe(1);
    const sentences = ran.stderr
      .trimEnd()
      .replace(/^gaussianize fit: /, "")
      .split(/(?<=\.) /);
    expect(sentences).toEqual([
      expect.stringMatching(/^The fit failed: /),
      advice,
      `The last good model is ${join(output, "last-good.safetensors")}.`,
    ]);
  },
);

describe("a fit that cannot take another step", () => {
  const sentence =
    /The fit failed after \d steps: samples have no density, .*\. --rate 1\S+ is too large: start again with --rate 0\.04 --force\./;

  test("fails like other useless fits, and is neither resumed nor extended", async () => {
    const output = at("lost");
    const line = ["fit", images, ...small, "--rate", "1e20", "--steps", "30", "-o", output];
    const ran = await runCommand(...line, "--json");
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) as unknown });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      model: join(output, "last-good.safetensors"),
      problem: expect.stringMatching(sentence) as unknown,
    });
    const names = await readdir(output);
    expect(names).toContain("last-good.safetensors");
    expect(names).not.toContain("preview.safetensors");
    const resumed = await runCommand("fit", "-o", output, "--resume");
    expect(resumed).toMatchObject({ code: 1, stderr: ran.stderr });
    const inspected = await runCommand("inspect", join(output, "checkpoint.safetensors"), "--json");
    expect(JSON.parse(inspected.stdout)).toMatchObject({
      status: "failed",
      resume: null,
      problem: expect.stringMatching(sentence) as unknown,
    });
    const config = await readFile(join(output, "config.json"));
    const extended = await runCommand("fit", "-o", output, "--resume", "--steps", "50");
    expect(extended.code).toBe(1);
    expect(extended.stderr).toMatch(/failed and cannot be extended\. The fit failed after/);
    expect(await readFile(join(output, "config.json"))).toEqual(config);
  });

  test("keeps the model of the run that it replaced", async () => {
    const output = at("replaced");
    await runCommand("fit", good(), ...small, "--steps", "2", "-o", output);
    const model = await modelIn(output);
    const line = ["fit", images, ...small, "--rate", "1e20", "--steps", "30", "-o", output];
    const failed = await runCommand(...line, "--force");
    expect(failed.stderr).toContain(`the model of the run before is ${output}`);
    expect((await readFile(join(output, "previous.safetensors"))).equals(model)).toBe(true);
  });
});

describe("a fit that is extended", () => {
  const terms = [...small, "--steps", "40", "--seed", "3"];
  const longer = ["--resume", "--steps", "70", "--workers", "0"];

  test("gives the same bytes whether it was finished or interrupted before", async () => {
    const [finished, stopped] = [at("finished"), at("stopped")];
    expect((await runCommand("fit", images, ...terms, "-o", finished)).code).toBe(0);
    const before = await modelIn(finished);
    const extended = await runCommand("fit", "-o", finished, ...longer);
    expect(extended).toMatchObject({ code: 0 });
    expect(extended.stdout).toMatch(
      /^GDN: 70 steps on 3 images in \d+ s \(\d+ s in all\)\nΔJ \S+ → \S+ nats per pixel on 1 held-out image \(log-likelihood \S+ → \S+ nats per patch\)\nWrote /,
    );
    expect((await modelIn(finished)).equals(before)).toBe(false);
    const { about } = await readPatchModel(join(finished, "model.safetensors"));
    expect(about.training).toMatchObject({ steps: 70, restarts: [40] });
    const effects = stoppedEffects();
    expect(await run(["fit", images, ...terms, "-o", stopped], effects)).toBe(130);
    expect((await runCommand("fit", images, "-o", stopped, ...longer)).code).toBe(0);
    expect((await modelIn(stopped)).equals(await modelIn(finished))).toBe(true);
  });

  test("keeps the finished model while it is interrupted, and names the extension", async () => {
    const output = at("kept");
    await runCommand("fit", images, ...terms, "-o", output);
    const [model, checkpoint] = [await modelIn(output), join(output, "checkpoint.safetensors")];
    const before = await runCommand("inspect", checkpoint);
    expect(before.stdout).toMatch(/finished\. Extend .*\n.*fit -o \S+ --resume --steps N\n$/);
    const effects = stoppedEffects();
    expect(await run(["fit", "-o", output, ...longer], effects)).toBe(130);
    expect(effects.printed.stderr).toContain("Extending the fit from 40 to 70 steps.\n");
    expect((await modelIn(output)).equals(model)).toBe(true);
    expect((await runCommand("inspect", checkpoint)).stdout).toContain("Resume the fit with");
    const resumed = await runCommand("fit", "-o", output, "--resume", "--workers", "0");
    expect(resumed.stdout).toMatch(/^GDN: 70 steps/);
    expect((await modelIn(output)).equals(model)).toBe(false);
  });

  test("fails and keeps the finished model if the extension is worse", async () => {
    const output = at("worse");
    await runCommand("fit", images, ...terms, "--held-out", "0", "-o", output);
    const model = await modelIn(output);
    const opened = await RunFolder.open(output);
    await opened.extended({ ...opened.config, learningRate: 300 });
    const failed = await runCommand("fit", "-o", output, ...longer, "--json");
    expect(failed).toMatchObject({ code: 1 });
    expect(JSON.parse(failed.stdout)).toMatchObject({
      model: join(output, "model.safetensors"),
      problem: expect.stringMatching(/^The fit failed.* The finished model is kept: /) as unknown,
    });
    expect((await modelIn(output)).equals(model)).toBe(true);
    // It has the steps of the model that is kept.
    expect((await RunFolder.open(output)).config).toEqual({ ...opened.config, learningRate: 300 });
    const again = await runCommand("fit", "-o", output, "--resume");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is kept") as unknown });
    expect((await modelIn(output)).equals(model)).toBe(true);
  });

  test("is unchanged if the extension cannot begin", async () => {
    const output = at("not-begun");
    await runCommand("fit", images, ...terms, "-o", output);
    const { config } = await RunFolder.open(output);
    const spy = vi.spyOn(RunFolder.prototype, "readCheckpoint");
    spy.mockRejectedValueOnce(new Error("the disk is gone"));
    const failed = await runCommand("fit", "-o", output, ...longer);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("gone") as unknown });
    expect((await RunFolder.open(output)).config).toEqual(config);
    expect((await runCommand("fit", "-o", output, ...longer)).stdout).toMatch(/^GDN: 70 steps/);
  });

  test("rejects fewer steps", async () => {
    const output = at("shorter");
    await runCommand("fit", good(), ...small, "--steps", "3", "-o", output);
    const shorter = await runCommand("fit", "-o", output, "--resume", "--steps", "2");
    expect(shorter.code).toBe(2);
    expect(shorter.stderr).toContain(
      "has --steps 3, but this command says 2, and a fit can only be extended",
    );
  });
});

test("says that an extension did not help", () => {
  const heldOut = { meanLogLikelihood: 170.123, negentropyDifferencePerDimension: -2.83456 };
  const outcome: FitOutcome = {
    model: "run/model.safetensors",
    problem: null,
    name: "GDN",
    steps: 500,
    seconds: 16,
    secondsOfCommand: 6,
    trainingImages: 7,
    heldOutImages: 1,
    skippedImages: 0,
    bestStep: 380,
    heldOut,
    before: { steps: 400, heldOut },
  };
  expect(outcomeText(outcome)).toBe(
    [
      "GDN: 500 steps on 7 images in 6 s (16 s in all)",
      "ΔJ −2.835 nats per pixel on 1 held-out image (log-likelihood 170.12 nats per patch)",
      "The extension did not improve the held-out images: the model is that of step 380, as before.",
      "The model is run/model.safetensors",
      "",
    ].join("\n"),
  );
});

test("finds the images once, and opens the run once when it is resumed", async () => {
  const open = vi.spyOn(RunFolder, "open");
  const line = ["fit", images, ...small, "--steps", "2", "-o", at("once")];
  expect((await runCommand(...line)).code).toBe(0);
  expect([vi.mocked(findImages).mock.calls.length, open.mock.calls.length]).toEqual([1, 0]);
  vi.clearAllMocks();
  expect((await runCommand(...line, "--resume")).code).toBe(0);
  expect([vi.mocked(findImages).mock.calls.length, open.mock.calls.length]).toEqual([1, 1]);
});
