/** Compares python/gaussianize.py with the Float64 specification. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { writeModel } from "../../node/model-files.js";
import { gaussianizeImage, logProbOfImage } from "../../src/density/images/image-density.js";
import { imageScore } from "../../src/density/images/image-score.js";
import { gaussianize, logProb, score } from "../../src/density/induced-density.js";
import type { ImageModel, Model } from "../../src/density/model-files/model.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { fieldToImage } from "../../src/transforms/field.js";
import { gdnStructures } from "../../src/transforms/gdn-structures.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { modelFolder } from "../support/commands.js";
import { expectClose } from "../support/expect-close.js";
import { imageModels } from "../support/image-models.js";
import { referenceRunner } from "../support/inline-runners.js";
import { randomLayer } from "../support/models.js";
import { pythonWithNumpy } from "../support/python.js";
import { seed } from "../support/seed.js";

const python = pythonWithNumpy();
if (python === undefined) console.warn("Skipped: python/gaussianize.py, since there is no numpy.");

const random = createRandom(seed, "python/gaussianize.py");
const [n, count] = [5, 7];
const curve = { lower: -0.1, upper: 1.2, rate: 1.5, asymmetry: 0.8, center: 0.3 };
const models = Object.fromEntries(
  gdnStructures.map((structure): [string, Model] => [
    structure,
    {
      transform: cascade([
        pointwise({ dimension: n, ...curve }),
        affine({ dimension: n, scale: [1, -2, 0.5, 3, 1.5], shift: [0, 1, -1, 0.2, 0] }),
        randomLayer(random, structure, { n }),
        linear({ dimension: n, H: random.normalFill(new Float64Array(n * n)) }),
      ]),
      about: { name: structure },
    },
  ]),
);
const whole: ImageModel = imageModels.linearLight;
const [width, height] = [6 * whole.transform.stride, 5 * whole.transform.stride];
const x = Float64Array.from({ length: count * n }, () => 0.05 + 0.9 * random.uniform());
const image = {
  width,
  height,
  pixels: Float64Array.from({ length: width * height }, () => random.uniform()),
};

interface Found {
  readonly log_prob: number[];
  readonly score: number[];
  readonly y: number[];
  readonly back: number[];
  readonly draws: number[];
  readonly draws_back: number[];
  readonly torch: { readonly log_prob: number[]; readonly score: number[] } | null;
}
let found: Readonly<Record<string, Found>> = {};

/** Runs all models in one process, because loading numpy and torch takes most of the time. */
beforeAll(async () => {
  if (python === undefined) return;
  const { path } = await modelFolder();
  for (const [name, model] of [...Object.entries(models), ["whole", whole] as const]) {
    await writeModel(path(`${name}.safetensors`), model);
  }
  const samples = Array.from({ length: count }, (_, s) => [...x.subarray(s * n, (s + 1) * n)]);
  const rows = Array.from({ length: height }, (_, row) => [
    ...image.pixels.subarray(row * width, (row + 1) * width),
  ]);
  const asked = [
    ...Object.keys(models).map((name) => ({ name, x: samples, size: null })),
    { name: "whole", x: rows, size: [height, width] },
  ].map((each) => ({ ...each, path: path(`${each.name}.safetensors`) }));
  await writeFile(path("asked.json"), JSON.stringify(asked));
  const words = [resolve("python"), path("asked.json"), path("found.json")];
  await promisify(execFile)(python, ["-c", driver, ...words]);
  found = JSON.parse(await readFile(path("found.json"), "utf8")) as Record<string, Found>;
});

const driver = `
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
try:
    import torch
except ImportError:
    torch = None
from gaussianize import load

def flat(values):
    return np.asarray(values).ravel().tolist()

found = {}
for model in json.load(open(sys.argv[2])):
    density, x = load(model["path"]), np.array(model["x"])
    y, log_det = density.gaussianize(x)
    # Classic normalization is not onto, so it cannot be sampled.
    draws = None if model["name"] in ("classic", "weighted-l2") else density.sample(2, seed=1, size=model["size"])
    with_torch = None
    if torch is not None:
        tensor = torch.tensor(x)
        with_torch = {
            "log_prob": flat(density.log_prob(tensor)),
            "score": flat(density.score(tensor)),
        }
    found[model["name"]] = {
        "log_prob": flat(density.log_prob(x)),
        "score": flat(density.score(x)),
        "y": flat(y),
        "back": flat(density.synthesize(y)),
        "draws": [] if draws is None else flat(draws),
        "draws_back": [] if draws is None else flat([density.synthesize(density.gaussianize(d)[0]) for d in draws]),
        "torch": with_torch,
    }
json.dump(found, open(sys.argv[3], "w"))
`;

describe.skipIf(python === undefined)("python/gaussianize.py, models of patches", () => {
  test.each(gdnStructures)("%s: log p, score and y agree with the specification", async (name) => {
    const { transform } = models[name];
    const there = found[name];
    const close = { relative: 1e-8, absolute: 1e-9 };
    expectClose(there.log_prob, await logProb(referenceRunner, transform, x), close);
    expectClose(there.score, (await score(referenceRunner, transform, x)).score, close);
    expectClose(there.y, (await gaussianize(referenceRunner, transform, x)).y, close);
    expectClose(there.back, x, close);
    expectClose(there.draws_back, there.draws, { relative: 1e-6, absolute: 1e-6 });
    if (there.torch) {
      expectClose(there.torch.log_prob, there.log_prob, close);
      expectClose(there.torch.score, there.score, close);
    }
  });
});

describe.skipIf(python === undefined)("python/gaussianize.py, mistakes", () => {
  test("raise ValueError with one sentence", async () => {
    const { path } = await modelFolder();
    const file = path("of-mistakes.safetensors");
    await writeModel(file, models.column);
    await writeFile(path("text.png"), "\x89PNG\r\n no model at all");
    const words = [resolve("python"), file, path("text.png")];
    const { stdout } = await promisify(execFile)(python as string, ["-c", mistakes, ...words]);
    const { sentences, grey } = JSON.parse(stdout) as { sentences: string[]; grey: number };
    expect(sentences).toEqual([
      `${path("text.png")} is not a gaussianize model; expected a .safetensors file that gaussianize wrote`,
      "expected count to be a positive integer but received -1",
      "expected count to be a positive integer but received 2.5",
      "expected bytes (uint8) from 0 to 255 but received float64; if 1 is white, pass (255 * rgb).round().astype('uint8')",
      "expected bytes (uint8) from 0 to 255 but received uint16; if 1 is white, pass (255 * rgb).round().astype('uint8')",
      "expected the shape (height, width) or (height, width, 3) but received (2, 2, 1)",
    ]);
    expectClose(grey, 0.2, { relative: 1e-12 });
  });
});

const mistakes = `
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from gaussianize import load

density = load(sys.argv[2])
sentences = []
for call in (
    lambda: load(sys.argv[3]),
    lambda: density.sample(-1),
    lambda: density.sample(2.5),
    lambda: density.pixels(np.zeros((2, 2, 3))),
    lambda: density.pixels(np.zeros((2, 2), np.uint16)),
    lambda: density.pixels(np.zeros((2, 2, 1), np.uint8)),
):
    try:
        call()
        sentences.append("no error")
    except ValueError as error:
        sentences.append(str(error))
grey = density.pixels(np.full((2, 2, 3), 51, np.uint8))[0, 0]
print(json.dumps({"sentences": sentences, "grey": grey}))
`;

describe.skipIf(python === undefined)("python/gaussianize.py, a model of whole images", () => {
  test("log p, score and y agree with the specification, and synthesize() returns x", async () => {
    const { transform } = whole;
    const there = found.whole;
    const close = { relative: 1e-7, absolute: 1e-7 };
    expectClose(there.log_prob, [await logProbOfImage(referenceRunner, transform, image)], close);
    const gradient = await imageScore(referenceRunner, transform, image);
    expectClose(there.score, gradient.pixels, close);
    const { y } = await gaussianizeImage(referenceRunner, transform, image);
    expectClose(there.y, fieldToImage(y).pixels, close);
    expectClose(there.back, image.pixels, close);
    expect(there.draws).toHaveLength(2 * width * height);
    expectClose(there.draws_back, there.draws, close);
    if (there.torch) expectClose(there.torch.score, there.score, close);
  });
});
