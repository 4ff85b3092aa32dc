import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { writePng } from "../../node/figures.js";
import { createRandom } from "../../src/random/random-stream.js";
import type { Stage } from "../../src/transforms/transform.js";
import {
  commandModels,
  expectRefusal,
  modelFolder,
  runCommand,
  runProcess,
} from "../support/commands.js";

const { path, names } = await modelFolder();

describe("gaussianize inspect", () => {
  test("shows stages, parameters, certificate and origin", async () => {
    const { code, stdout, stderr } = await runCommand("inspect", path("gdn"));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${path("gdn")}: GDN, 4×4 patches\n`);
    expect(stdout).toContain("16 dimensions, 592 parameters\n");
    expect(stdout).toMatch(/^stage 0: affine +values +smallest +median +largest$/m);
    expect(stdout).toMatch(/^ {2}shift +16 +−1.5 +−1.5 +−1.5$/m);
    expect(stdout).toMatch(/^stage 1: gdn, column +values/m);
    expect(stdout).toMatch(/^ {2}H +256 +−0\.\d+ .* 3\.\d+ {3}1 is 0$/m);
    expect(stdout).toMatch(/^ {2}γ +256 /m);
    expect(stdout).toContain("Proven: stage 1 (gdn, column) is invertible everywhere: q = ");
    expect(stdout).toMatch(/^ΔJ +−2.039 nats per pixel$/m);
    expect(stdout).toMatch(/^count +12$/m);
    expect(stdout).toMatch(/^training +batch 64, steps 100$/m);
    expect(stdout).toMatch(/^data +dead leaves, hash sha256:00ff$/m);
    expect(stdout).toMatch(/^preprocessing +noise standard deviation 0.01235$/m);
    expect(stdout).toMatch(/^seed +7$/m);
  });

  test("keeps to 100 columns, aligned, without repetition", async () => {
    const { stdout } = await runCommand("inspect", path("gdn"));
    const lines = stdout.split("\n").slice(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    const ends = lines
      .filter((line) => /^ {2}(scale|shift|H|α|β|γ|ε) /.test(line))
      .map((line) => line.replace(/ {3}\d+ (is|are) 0$/, "").length);
    expect(ends).toHaveLength(7);
    expect(new Set(ends).size).toBe(1);
    const sentences = lines.filter((line) => line.startsWith("Proven"));
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  test("prints medians and zeros of every group with --json, and all of `about`", async () => {
    const { code, stdout } = await runCommand("inspect", path("gdn"), "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result).toMatchObject({
      model: path("gdn"),
      dimension: 16,
      parameters: 592,
      certified: true,
      invertible: true,
      about: commandModels.gdn.about,
      stages: [
        {
          kind: "affine",
          parameters: 32,
          groups: [
            { name: "scale", values: 16, smallest: 3, median: 3, largest: 3, zeros: 0 },
            { name: "shift", values: 16, smallest: -1.5, median: -1.5, largest: -1.5, zeros: 0 },
          ],
        },
        { kind: "gdn", structure: "column", parameters: 560 },
      ],
    });
    expect(result.certificate).toBeLessThan(1);
    expect(result.cycleMean).toBeLessThanOrEqual(result.certificate as number);
    expect(result.proven).toHaveLength(3);
  });

  test("has no certificate for a model that needs none", async () => {
    const { stdout } = await runCommand("inspect", path("linear"), "--json");
    expect(JSON.parse(stdout)).toMatchObject({ certificate: null, invertible: true });
  });

  test("shows models that are not invertible, with code 0", async () => {
    for (const [model, verdict] of [
      ["classic", "one-to-one but not onto"],
      ["twofold", "Disproven: the transform (gdn, general) is not invertible"],
    ] as const) {
      const { code, stdout } = await runCommand("inspect", path(model));
      expect(code).toBe(0);
      expect(stdout.replace(/\n {2}/g, " ")).toContain(verdict);
    }
  });

  test("escapes control characters in the name of a model", async () => {
    const { stdout } = await runCommand("inspect", path("radial"));
    expect(stdout.split("\n")[0]).toBe(String.raw`${path("radial")}: radial\u000a\u001b[31mred`);
  });

  test("as a process: results on stdout, everything else on stderr", async () => {
    const file = path("process.png");
    const { code, stdout, stderr } = await runProcess("inspect", path("gdn"), "--json", "-o", file);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ dimension: 16 });
    expect(stderr).toBe(`Wrote ${file}: 16 filters, and the weights γ, 16×16.\n`);
  });
});

describe("the picture of gaussianize inspect", () => {
  const draw = async (model: string) => {
    const file = path(`${model}.png`);
    const ran = await runCommand("inspect", path(model), "-o", file);
    return { ran, file };
  };

  test("shows the filters between white lines, and γ beside them", async () => {
    const { ran, file } = await draw("gdn");
    expect(ran).toMatchObject({
      code: 0,
      stderr: `Wrote ${file}: 16 filters, and the weights γ, 16×16.\n`,
    });
    const { width, height, pixels } = await decodeImage(file, "grey");
    // 4 filters of 4 pixels, each 28 pixels wide, and 5 lines; γ is 576 wide.
    const mosaic = 4 * 4 * 28 + 5;
    expect([width, height]).toEqual([mosaic + 8 + 576, 576]);
    const column = (x: number) => Array.from({ length: mosaic }, (_, y) => pixels[y * width + x]);
    for (let k = 0; k <= 4; k++) expect(new Set(column(113 * k))).toEqual(new Set([1]));
    expect(new Set(column(50)).size).toBeGreaterThan(4);
    expect(Math.min(...column(mosaic + 100))).toBeLessThan(0.5);
  });

  test.each([
    ["linear", "16 filters", 453],
    ["classic", "the weights γ, 16×16", 576],
    ["noPatch", "the weights γ, 16×16", 576],
    ["oblong", "the weights γ, 16×16", 576],
    ["radial", "the weights γ, 3×3", 576],
  ])("of %s shows %s", async (model, shows, size) => {
    const { ran, file } = await draw(model);
    expect(ran).toMatchObject({ code: 0, stderr: `Wrote ${file}: ${shows}.\n` });
    const { width, height } = await decodeImage(file, "grey");
    expect([width, height]).toEqual([size, size]);
  });

  test("shows filters of patches without their mean over all pixels", async () => {
    const { ran, file } = await draw("centred");
    expect(ran).toMatchObject({
      code: 0,
      stderr: `Wrote ${file}: 15 filters, and the weights γ, 15×15.\n`,
    });
    const { width, pixels } = await decodeImage(file, "grey");
    const { stages } = commandModels.centred.transform;
    const { H } = stages[1] as Extract<Stage, { kind: "gdn" }>;
    const row = Array.from(H!.subarray(0, 15));
    const share = row.reduce((sum, value) => sum + value, 0) / 16;
    const filter = [...row, 0].map((value) => value - share);
    const largest = Math.max(...filter.map(Math.abs));
    filter.forEach((value, k) => {
      const at = (1 + 25 * Math.floor(k / 4) + 12) * width + 1 + 25 * (k % 4) + 12;
      expect(Math.abs(pixels[at] - (value + largest) / (2 * largest))).toBeLessThan(0.51 / 255);
    });
  });

  test("is rejected before anything is printed if there is nothing to draw", async () => {
    const before = await names();
    const { ran } = await draw("affine");
    expectRefusal(ran, 1, `Nothing to draw: ${path("affine")} has neither`);
    expect(await names()).toEqual(before);
  });

  test("names the model of a checkpoint", async () => {
    const scene = path("scene.png");
    const pixels = createRandom(1, "scene").uniformFill(new Float32Array(40 * 40));
    await writePng(scene, { width: 40, height: 40, pixels });
    const terms = ["--patch", "2", "--steps", "3", "--batch", "16", "--workers", "0"];
    const model = ["--layers", "2", "--couplings", "1", "--components", "2", "--symmetric"];
    const folder = path("run of a mixture");
    const fitted = await runCommand("fit", scene, ...terms, ...model, "-o", folder);
    expect(fitted.code).toBe(0);
    const { stdout } = await runCommand("inspect", join(folder, "checkpoint.safetensors"));
    expect(stdout).toContain(
      "gdn, 2 layers, couplings of 1 unit, 2 components, symmetric, 2×2 patches, 1 image\n",
    );
  });

  test("shows the steps of a checkpoint, and how to resume its fit", async () => {
    const folder = path("run of mine");
    const scene = path("scene.png");
    const pixels = createRandom(1, "scene").uniformFill(new Float32Array(40 * 40));
    await writePng(scene, { width: 40, height: 40, pixels });
    const terms = ["--patch", "2", "--steps", "3", "--batch", "16", "--workers", "0"];
    const fitted = await runCommand("fit", scene, ...terms, "-o", folder);
    expect(fitted.code).toBe(0);
    const checkpoint = join(folder, "checkpoint.safetensors");
    const { code, stdout } = await runCommand("inspect", checkpoint);
    expect(code).toBe(0);
    expect(stdout).toContain(`${checkpoint}: a checkpoint of a fit, not a model\n`);
    expect(stdout).toContain(
      "steps      2 of 3 (the last checkpoint before the end)\nfit        gdn, 2×2 patches, 1 image\n",
    );
    expect(stdout).toContain(`model      ${join(folder, "model.safetensors")}: 3 steps\n`);
    const resume = `gaussianize fit -o '${folder}' --resume`;
    expect(stdout).toContain(
      `The fit is finished. Extend it to N steps with:\n  ${resume} --steps N\n`,
    );
    const { stdout: json } = await runCommand("inspect", checkpoint, "--json");
    expect(JSON.parse(json)).toMatchObject({
      checkpoint,
      step: 2,
      rejectedSteps: 0,
      optimiser: "adam",
      best: null,
      images: 1,
      fit: { model: "gdn", steps: 3 },
      model: join(folder, "model.safetensors"),
      modelSteps: 3,
    });
    const drawn = await runCommand("inspect", checkpoint, "-o", path("drawn.png"));
    expectRefusal(drawn, 2, "is a checkpoint of a fit; draw");
    await rm(join(folder, "model.safetensors"));
    const unfinished = await runCommand("inspect", checkpoint);
    expect(unfinished.stdout).toContain(`Resume the fit with:\n  ${resume}\n`);
    const alone = path("alone.safetensors");
    await copyFile(checkpoint, alone);
    expect((await runCommand("inspect", alone)).stdout).toContain(
      "The run of this checkpoint is not in this folder.",
    );
    for (const command of ["verify", "sample"]) {
      expectRefusal(
        await runCommand(command, alone, ...(command === "sample" ? ["-o", path("s.png")] : [])),
        1,
        "This is a checkpoint of a fit, not a model: resume the fit",
      );
    }
  });

  test("gives ΔJ of a checkpoint in the unit of the fit", async () => {
    const folder = path("validated");
    const terms = ["--patch", "2", "--steps", "40", "--batch", "16", "--workers", "0"];
    const fitted = await runCommand("fit", "--embedded", ...terms, "-o", folder);
    const [, difference] = /ΔJ (−[\d.]+) nats per pixel/.exec(fitted.stdout) ?? [];
    const checkpoint = join(folder, "checkpoint.safetensors");
    const { stdout } = await runCommand("inspect", checkpoint);
    const model = join(folder, "model.safetensors");
    const sentence = `nats per pixel on held-out images\n`;
    expect(stdout).toContain(`model      ${model}: 40 steps, ΔJ ${difference} ${sentence}`);
    expect(stdout).not.toContain("best ");
    await rm(model);
    const unfinished = await runCommand("inspect", checkpoint);
    expect(unfinished.stdout).toMatch(
      /^best +after \d+ steps, ΔJ −[\d.]+ nats per pixel on held-out images$/m,
    );
  });
});
