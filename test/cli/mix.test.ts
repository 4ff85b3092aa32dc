import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import { readModel, writeModel } from "../../node/model-files.js";
import { densityOf } from "../../src/density/density-of.js";
import { type AnyModel, isMixtureModel } from "../../src/density/model-files/model.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { mixture } from "../../src/density/mixtures/mixture.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { commandModels, expectRefusal, modelFolder, runCommand } from "../support/commands.js";
import { expectClose } from "../support/expect-close.js";
import { everyImageModel, randomLayer } from "../support/models.js";
import { simdRunner } from "../support/inline-runners.js";
import { readNpz } from "../support/python.js";

const { path, names } = await modelFolder();
const [mixed, symmetric] = [path("mix.safetensors"), path("symmetric.safetensors")];
const noisy = path("noisy.safetensors");
const photo = path("photo.png");
const none = ["--workers", "0"];

beforeAll(async () => {
  await writePng(photo, deadLeaves(createRandom(1, "scene"), { width: 40, height: 30 }));
  const random = createRandom(5, "noisy");
  await writeModel(path("second.safetensors"), {
    transform: cascade([commandModels.affine.transform, randomLayer(random, "general", { n: 16 })]),
    about: { ...commandModels.gdn.about, name: "second" },
  });
  for (const [name, scale] of [
    ["a", 3],
    ["b", 5],
  ] as const) {
    const transform = cascade([
      affine({ dimension: 16, scale: new Float32Array(16).fill(scale) }),
      randomLayer(random, "column", { n: 16 }),
    ]);
    const preprocessing = { noiseLevel: 0.1 };
    const about = { patch: { width: 4, height: 4, black: 0, white: 1 }, preprocessing };
    await writeModel(path(`${name}.safetensors`), { transform, about });
  }
  const [[, images]] = everyImageModel();
  await writeModel(path("images.safetensors"), images);
  const made = [
    ["mix", path("gdn"), path("second.safetensors"), "--weights", "1", "3", "-o", mixed],
    ["mix", path("centred"), "--symmetric", "-o", symmetric],
    ["mix", path("a.safetensors"), path("b.safetensors"), "--symmetric", "-o", noisy],
    ["mix", symmetric, symmetric, "-o", path("all-symmetric.safetensors")],
  ];
  for (const words of made) expect((await runCommand(...words)).code).toBe(0);
});

async function log(file: string, x: Float32Array): Promise<Float64Array> {
  return densityOf(await readModel(file), simdRunner).logProb(x);
}

describe("gaussianize mix", () => {
  test("writes the mixture of two models with weights divided by their sum", async () => {
    const model = await readModel(mixed);
    expect(isMixtureModel(model)).toBe(true);
    const x = createRandom(3, "x").uniformFill(new Float32Array(32));
    const [a, b] = [await log(path("gdn"), x), await log(path("second.safetensors"), x)];
    const wanted = a.map((value, s) => Math.log(Math.exp(value) / 4 + 0.75 * Math.exp(b[s])));
    expectClose(await log(mixed, x), wanted, { relative: 1e-6, scale: 1 });
    expect(model.about).toMatchObject({
      name: "mixture of GDN and second",
      patch: { width: 4, height: 4, black: 0, white: 1 },
      preprocessing: { noiseStandardDeviation: 0.0123456 },
      components: [
        { file: "gdn.safetensors", name: "GDN", weight: 0.25, training: { steps: 100 } },
        { name: "second", weight: 0.75 },
      ],
    });
    expect(model.about.figures).toBeUndefined();
  });

  test("keeps the preprocessing that all components share, for ΔJ", async () => {
    const { transform, about } = await readModel(symmetric);
    expect(transform).toMatchObject({ kind: "symmetric-mixture", side: 4, removeMean: true });
    expect(about.preprocessing).toEqual({ dequantization: "uniform", stages: 1 });
    const both = path("both.safetensors");
    await runCommand("mix", symmetric, path("centred"), "-o", both);
    expect((await readModel(both)).about.preprocessing?.stages).toBe(1);
  });

  test("says what it wrote, on stderr, and as JSON on stdout", async () => {
    const file = path("json.safetensors");
    const ran = await runCommand("mix", mixed, path("gdn"), "--json", "--symmetric", "-o", file);
    expect(ran.stderr).toBe(`Wrote ${file}: 2 components in 8 poses.\n`);
    expect(JSON.parse(ran.stdout)).toEqual({
      model: file,
      dimension: 16,
      symmetric: true,
      components: [
        { model: mixed, weight: 0.5 },
        { model: path("gdn"), weight: 0.5 },
      ],
      densities: 24,
    });
  });

  test("writes the same bytes again", async () => {
    const again = path("again.safetensors");
    await runCommand("mix", path("centred"), "--symmetric", "-o", again);
    expect(await readFile(again)).toEqual(await readFile(symmetric));
  });

  test("does not compare which values are shown as black and white", async () => {
    const { transform, about } = await readModel(path("a.safetensors"));
    const [darker, file] = [path("darker.safetensors"), path("display.safetensors")];
    const patch = { width: 4, height: 4, black: 0, white: 0.3 };
    await writeModel(darker, { transform, about: { ...about, patch } } as AnyModel);
    const ran = await runCommand("mix", path("b.safetensors"), darker, "-o", file);
    expect(ran.code).toBe(0);
    expect((await readModel(file)).about.patch?.white).toBe(1);
  });

  test.each<readonly [string, 1 | 2, string, readonly string[]]>([
    ["no output", 2, "Give -o", [path("gdn"), path("affine")]],
    ["one model", 2, "at least two models", [path("gdn"), "-o", path("x.safetensors")]],
    [
      "too few weights",
      2,
      "one weight per model: 2; received 1",
      [path("gdn"), path("affine"), "-o", path("x.safetensors"), "--weights", "1"],
    ],
    [
      "a negative weight",
      2,
      "--weights must be a number above 0",
      [path("gdn"), path("affine"), "-o", path("x.safetensors"), "--weights", "1", "0"],
    ],
    [
      "a weight that no sample would notice",
      2,
      "--weights must each be at least 1e-12 of their sum; received 1e-320 1",
      [path("gdn"), path("affine"), "-o", path("x.safetensors"), "--weights", "1e-320", "1"],
    ],
    [
      "weights before the models",
      2,
      "--weights must be numbers; give the models before it",
      ["--weights", "1", "2", path("gdn.safetensors"), "-o", path("x.safetensors")],
    ],
    ["an output of another kind", 2, ".safetensors", [path("gdn"), path("affine"), "-o", "x.npz"]],
    ["its own input as output", 2, "is the model itself", [path("gdn"), mixed, "-o", mixed]],
    [
      "a model that is symmetric already",
      2,
      "is symmetric already: mix it without --symmetric",
      [path("gdn"), symmetric, "--symmetric", "-o", path("x.safetensors")],
    ],
    [
      "a mixture whose components are all symmetric",
      2,
      "is symmetric already: mix it without --symmetric",
      [path("all-symmetric.safetensors"), "--symmetric", "-o", path("x.safetensors")],
    ],
    [
      "other patches",
      1,
      "cannot be mixed: the number of dimensions is 16 in the first and 3 in the second",
      [path("gdn"), path("radial"), "-o", path("x.safetensors")],
    ],
    [
      "another preprocessing",
      1,
      "preprocessing.dequantization is",
      [path("affine"), path("spread"), "-o", path("x.safetensors")],
    ],
    [
      "no square patch",
      1,
      "form a square patch",
      [path("oblong"), "--symmetric", "-o", path("x.safetensors")],
    ],
    [
      "whole images",
      1,
      "model of whole images",
      [path("images.safetensors"), "--symmetric", "-o", path("x.safetensors")],
    ],
    [
      "a missing file",
      1,
      "none.safetensors",
      [path("none.safetensors"), path("gdn"), "-o", path("x.safetensors")],
    ],
  ])("rejects %s in one sentence", async (_, code, what, words) => {
    expectRefusal(await runCommand("mix", ...words), code, what);
    expect(await names()).not.toContain("x.safetensors");
  });
});

describe("the other commands on a mixture", () => {
  test("inspect shows how it is made up", async () => {
    const { stdout, code } = await runCommand("inspect", noisy);
    expect(code).toBe(0);
    expect(stdout).toContain(
      [
        "symmetric mixture, over the 8 poses of 4×4 patches",
        "  mixture of 2",
        "    weight 0.5: stages 0 to 1",
        "    weight 0.5: stages 2 to 3",
      ].join("\n"),
    );
    expect(stdout).toContain("stage 3: gdn, column");
    const json = await runCommand("inspect", noisy, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      mixture: { kind: "symmetric-mixture", density: { weights: [0.5, 0.5] } },
    });
  });

  test("inspect -o rejects it: there is no single first layer", async () => {
    const ran = await runCommand("inspect", mixed, "-o", path("filters.png"));
    expectRefusal(ran, 1, "no single transform");
  });

  test("verify reports every component", async () => {
    const { stdout, code } = await runCommand("verify", mixed, photo, "--samples", "50", ...none);
    expect(code).toBe(0);
    expect(stdout).toContain("Proven: all 2 transforms of the mixture are invertible everywhere");
    expect(stdout).toContain("Proven, component 1: stage 3 (gdn, general)");
    const own = await runCommand("verify", symmetric, "--samples", "20", "--json", ...none);
    expect(JSON.parse(own.stdout)).toMatchObject({
      invertible: true,
      samples: 20,
      failedSamples: 0,
      components: [{ name: "" }],
    });
  });

  test("verify fails if one component is no density", async () => {
    const file = path("bounded.safetensors");
    await runCommand("mix", path("linear"), path("classic"), "-o", file);
    const ran = await runCommand("verify", file, ...none);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("1 of the 2 transforms of the mixture is not invertible");
  });

  test("verify fails at patches where no component has a density", async () => {
    const curve = (lower: number) =>
      pointwise({ dimension: 16, lower, upper: 0.9, rate: 1, asymmetry: 1, center: 0 });
    const transform = mixture({ components: [curve(0.45), curve(0.5)] });
    const file = path("narrow.safetensors");
    await writeModel(file, { transform, about: { patch: { width: 4, height: 4 } } });
    const ran = await runCommand("verify", file, photo, "--samples", "30", ...none);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/has no density at \d+ of 30 samples: no component has one\./);
  });

  test("sample draws from it", async () => {
    const [png, npz] = [path("samples.png"), path("samples.npz")];
    for (const file of [png, npz]) {
      const ran = await runCommand("sample", symmetric, "-n", "9", "-o", file, ...none);
      expect({ ...ran }).toMatchObject({ code: 0, stdout: "" });
    }
    expect(readNpz(await readFile(npz)).x.shape).toEqual([9, 15]);
  });

  test("evaluate gives log p and ΔJ, and compares it with its component", async () => {
    const words = [photo, "--grid", "4", "--json", ...none];
    const { stdout, code } = await runCommand("evaluate", path("centred"), symmetric, ...words);
    expect(code).toBe(0);
    const { models } = JSON.parse(stdout) as {
      models: { meanLogLikelihood: number; negentropyDifferencePerDimension: number }[];
    };
    const [alone, of] = models;
    // E log p and ΔJ differ by the same amount: both ΔJ are relative to the same preprocessing.
    expectClose(
      15 * (alone.negentropyDifferencePerDimension - of.negentropyDifferencePerDimension),
      of.meanLogLikelihood - alone.meanLogLikelihood,
      { absolute: 1e-4 },
    );
  });

  test("export writes all arrays, the weights included", async () => {
    const file = path("mix.npz");
    expect((await runCommand("export", mixed, "--npz", file)).code).toBe(0);
    const arrays = readNpz(await readFile(file));
    expect(arrays["mixtures.0.weights"].values).toEqual([0.25, 0.75]);
    expect(arrays["stages.3.gamma"].shape).toEqual([16, 16]);
  });

  test("denoise takes it as --model, but --self needs one transform", async () => {
    const clean = path("clean.png");
    const words = ["denoise", photo, "--model", noisy, "--sigma", "25", "-o", clean, ...none];
    expect((await runCommand(...words)).code).toBe(0);
    expect(await names()).toContain("clean.png");
    expectRefusal(await runCommand(...words, "--self"), 2, "is a mixture");
  });
});
