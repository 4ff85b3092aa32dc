import { writeFile } from "node:fs/promises";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import { writeModel } from "../../node/model-files.js";
import type { Verification } from "../../src/density/verification/verify.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { expectRefusal, modelFolder, runCommand, runProcess } from "../support/commands.js";

const { path } = await modelFolder();

/** Invertible, though far out along its first component the Jacobian is indefinite. */
const tilted = gdn({
  structure: "column",
  dimension: 2,
  alpha: [1, 1],
  beta: [1, 1],
  gamma: [0.1, 0.1, 10, 1],
  epsilon: [0.05, 0.95],
});

beforeAll(async () => {
  await writeModel(path("tilted"), {
    transform: cascade([affine({ dimension: 2, scale: [2, 2] }), tilted]),
    about: {},
  });
  const scene = deadLeaves(createRandom(1, "scene"), { width: 40, height: 30 });
  await writePng(path("scene.png"), scene);
  await sharp(path("scene.png")).jpeg().toFile(path("scene.jpg"));
  const small = { width: 3, height: 50, pixels: new Float32Array(150) };
  await writePng(path("small.png"), small);
  const random = createRandom(1, "noise");
  const noise = Float32Array.from({ length: 6400 }, () => random.uniform());
  await writePng(path("cut.png"), { width: 80, height: 80, pixels: noise });
  const whole = await sharp(path("cut.png")).png().toBuffer();
  await writeFile(path("cut.png"), whole.subarray(0, whole.length / 2));
});

const check = (...words: readonly string[]) => runCommand("verify", ...words, "--workers", "0");
const flat = (text: string): string => text.replace(/\n {2}/g, " ");

describe("gaussianize verify", () => {
  test("prints what is proven and what its own samples show", async () => {
    const { code, stdout, stderr } = await check(path("gdn"), "--samples", "50");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = flat(stdout).split("\n");
    expect(lines[0]).toBe(`${path("gdn")}: GDN, 4×4 patches`);
    expect(lines[2]).toMatch(
      /^Proven: the model is invertible everywhere \(cycle mean μ = 0\.\d+ < 1\)\.$/,
    );
    expect(lines[3]).toBe("Proven: stage 0 (affine) is invertible: no scale is 0.");
    expect(lines[4]).toMatch(
      /^Proven: stage 1 \(gdn, column\) is invertible everywhere: q = 0\.\d+ < 1/,
    );
    expect(lines[6]).toBe("Data: samples of the model itself.");
    expect(lines[7]).toMatch(/^Observed over 50 samples: every pivot of I − M is positive/);
    expect(
      Math.max(
        ...stdout
          .split("\n")
          .slice(1)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(100);
  });

  test("accepts one image or several", async () => {
    const one = await check(path("gdn"), path("scene.png"), "--samples", "20");
    expect(one.code).toBe(0);
    expect(flat(one.stdout)).toContain(
      `Data: patches of ${path("scene.png")}.\nObserved over 20 samples`,
    );
    const two = await check(path("gdn"), path("scene.png"), path("scene.jpg"));
    expect(flat(two.stdout)).toContain("Data: patches of 2 images.\nObserved over 1,000 samples");
  });

  test("removes the mean of patches if the model does", async () => {
    const { code, stdout } = await check(path("centred"), path("scene.png"), "--samples", "20");
    expect(code).toBe(0);
    expect(flat(stdout)).toContain("Observed over 20 samples: every pivot of I − M is positive");
  });

  test("--json prints everything that the library returns", async () => {
    const { stdout } = await check(
      path("gdn"),
      path("scene.png"),
      "--samples",
      "20",
      "--seed",
      "5",
      "--json",
    );
    const result = JSON.parse(stdout) as Verification & Record<string, unknown>;
    expect(result).toMatchObject({
      model: path("gdn"),
      data: `patches of ${path("scene.png")}`,
      seed: 5,
      certified: true,
      invertible: true,
      samples: 20,
      failedSamples: 0,
      outsideSamples: 0,
    });
    expect(result.smallestPivot).toBeGreaterThan(0);
    expect(result.stages.map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
    expect([result.proven.length, result.observed.length]).toEqual([3, 1]);
  });

  test("prints the proof first, and an indefinite Jacobian as a note, with code 0", async () => {
    const { code, stdout, stderr } = await check(path("tilted"), "--samples", "50");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [, , proof, , , , , observed, note] = flat(stdout).split("\n");
    expect(proof).toBe("Proven: the model is invertible everywhere (cycle mean μ = 0.95 < 1).");
    expect(observed).toMatch(/^Observed over 50 samples: every pivot of I − M is positive/);
    expect(note).toMatch(
      /^Note: the paper's sufficient condition, a positive definite Jacobian, fails at \d+ of 50 samples in stage 1 \(gdn, column\) \(.*\); it is not needed\.$/,
    );
    expect(stdout).not.toContain("not positive definite");
    const json = await check(path("tilted"), "--samples", "50", "--json");
    const result = JSON.parse(json.stdout) as Verification;
    expect(result).toMatchObject({ invertible: true, failedSamples: 0 });
    expect(result.indefiniteSamples).toBeGreaterThan(0);
    expect(result.notes).toEqual([note]);
    expect(result.proven[0]).toBe(proof);
  });

  test("gives the same result with 0 and 2 workers, as a process", async () => {
    const flags = ["--samples", "300", "--json", "--workers"];
    const none = await runProcess("verify", path("gdn"), ...flags, "0");
    const two = await runProcess("verify", path("gdn"), ...flags, "2");
    expect(none).toMatchObject({ code: 0, stderr: "" });
    expect(two).toEqual(none);
    const other = await runProcess("verify", path("gdn"), ...flags, "0", "--seed", "2");
    expect(other.stdout).not.toBe(none.stdout);
  });

  test("accepts models without GDN, and without patches if there are no images", async () => {
    for (const model of ["linear", "affine", "noPatch", "radial"]) {
      expect(await check(path(model), "--samples", "10")).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test.each([
    ["classic", "Proven: the transform (gdn, classic) is one-to-one but not onto"],
    ["twofold", "Disproven: the transform (gdn, general) is not invertible"],
  ])("exits with code 1 for %s, with the reason on stdout", async (model, why) => {
    const { code, stdout, stderr } = await check(path(model));
    expect(code).toBe(1);
    expect(flat(stdout)).toContain(why);
    expect(stdout).toContain("Data: none, because the model has no samples.");
    expect(stderr).toBe(
      `gaussianize verify: ${path(model)} is not invertible, so it has no density.\n`,
    );
    const json = await check(path(model), "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ invertible: false, samples: 0 });
    expect(json.code).toBe(1);
  });

  test("examines a model without a density on images, too", async () => {
    const { code, stdout } = await check(path("classic"), path("scene.png"), "--samples", "20");
    expect(code).toBe(1);
    expect(stdout).toContain("Data: patches of");
    expect(stdout).toContain("Observed");
  });
});

describe("gaussianize verify rejects", () => {
  test.each([
    ["gdn", ["missing.png"], 1, path("missing.png")],
    ["gdn", ["scene.png", "cut.png"], 1, `Cannot read ${path("cut.png")} as a picture: `],
    ["gdn", ["gdn"], 1, "as a picture: it has no format that is known"],
    ["gdn", ["."], 1, `${path("small.png")} is 3×50 pixels`],
    ["gdn", ["nothing*.png"], 1, "nothing*.png"],
    ["gdn", ["small.png"], 1, `${path("small.png")} is 3×50 pixels`],
    [
      "noPatch",
      ["scene.png"],
      2,
      "does not say how its 16 dimensions form a square patch; verify it without images.",
    ],
    ["oblong", ["scene.png"], 2, "16 dimensions form a square patch"],
    ["radial", ["scene.png"], 2, "3 dimensions form a square patch"],
  ] as const)("%s with the images %j", async (model, images, code, what) => {
    expectRefusal(await check(path(model), ...images.map(path)), code, what);
  });

  test.each([
    [["--samples", "0"], "--samples must be a whole number of at least 1, in digits; received"],
    [
      ["--samples", "1000000000"],
      "--samples must be at most 4,194,304 for a model of 16 dimensions",
    ],
    [["--samples", "1000000000", path("scene.png")], "received 1,000,000,000"],
    [["--seed", "-3"], "--seed must be a whole number of at least 0"],
    [["--workers", "many"], "--workers must be a whole number from 0 to 1024"],
    [["--sample", "3"], "Did you mean --samples?"],
    [["-n", "4"], "unknown option '-n'"],
    [[""], "the argument images must be the name of a file"],
  ])("%j with code 2", async (flags, what) => {
    expectRefusal(await check(path("gdn"), ...flags), 2, what);
  });
});
