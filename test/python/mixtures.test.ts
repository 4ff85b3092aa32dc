/** Compares the mixtures of python/gaussianize.py with the Float64 specification. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { writeModel } from "../../node/model-files.js";
import { densityOf } from "../../src/density/density-of.js";
import { type AnyMixture, mixture, symmetricMixture } from "../../src/density/mixtures/mixture.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { modelFolder } from "../support/commands.js";
import { changed, withValue } from "../support/damaged-model.js";
import { expectClose } from "../support/expect-close.js";
import { referenceRunner } from "../support/inline-runners.js";
import { everyMixture } from "../support/mixtures.js";
import { pythonWithNumpy } from "../support/python.js";
import { seed } from "../support/seed.js";

const python = pythonWithNumpy();

const program = `
import json, sys
from gaussianize import load
answers = []
for path, x in json.loads(sys.argv[1]):
    density = load(path)
    draws = density.sample(3, seed=1)
    try:
        density.gaussianize(x)
        refusal = "none"
    except ValueError as error:
        refusal = str(error)
    answers.append({
        "log_prob": density.log_prob(x).ravel().tolist(),
        "score": density.score(x).ravel().tolist(),
        "responsibilities": density.responsibilities(x).ravel().tolist(),
        "draws": list(draws.shape),
        "refusal": refusal,
    })
print(json.dumps(answers))
`;

interface Answer {
  readonly log_prob: number[];
  readonly score: number[];
  readonly responsibilities: number[];
  readonly draws: number[];
  readonly refusal: string;
}

test.skipIf(python === undefined)("agrees in log p, score and responsibilities", async () => {
  const { path } = await modelFolder();
  const random = createRandom(seed, "python mixtures");
  const asked: [string, number[][]][] = [];
  for (const [k, [, transform]] of everyMixture().entries()) {
    const file = path(`${k}.safetensors`);
    await writeModel(file, { transform: transform as AnyMixture, about: {} });
    const row = () => [...random.normalFill(new Float64Array(transform.dimension))];
    asked.push([file, [row(), row(), row()]]);
  }
  const words = ["-c", program, JSON.stringify(asked)];
  const environment = { ...process.env, PYTHONPATH: resolve("python") };
  const ran = await promisify(execFile)(python as string, words, { env: environment });
  const answers = JSON.parse(ran.stdout) as Answer[];
  for (const [k, [name, transform]] of everyMixture().entries()) {
    const density = densityOf(transform, referenceRunner);
    const x = asked[k][1];
    const tolerance = { relative: 1e-9, scale: 1 };
    expectClose(answers[k].log_prob, await density.logProb(x), tolerance, name);
    expectClose(answers[k].score, await density.score(x), tolerance, name);
    const shares = await density.responsibilities(x);
    expectClose(answers[k].responsibilities, shares, tolerance, name);
    expect(answers[k].draws).toEqual([3, transform.dimension]);
    expect(answers[k].refusal).toContain("no single transform");
  }
});

const small = (shift: number) => affine({ dimension: 3, shift: [shift, 0, -0.5] });
const pair = mixture({ components: [small(1), small(2)], weights: Float32Array.of(0.25, 0.75) });
const pairFile = encodeModel({ transform: pair, about: {} });
const posesFile = encodeModel({
  transform: symmetricMixture({ side: 2, removeMean: true, density: small(1) }),
  about: {},
});

type Described = Record<string, unknown>;
const withTransform = (change: (transform: Described) => unknown, file: Uint8Array): Uint8Array =>
  changed((parts) => {
    const transform = JSON.parse(parts.metadata.transform) as Described;
    change(transform);
    parts.metadata.transform = JSON.stringify(transform);
  }, file);
const withWeight = (value: number, offset: number): Uint8Array =>
  changed(withValue("mixtures.0.weights", value, offset), pairFile);

const damaged: readonly (readonly [what: string, file: Uint8Array, sentence: RegExp])[] = [
  ["weights that are negative", withWeight(-0.25, 0), /weights to be positive and to sum to 1/],
  ["weights with another sum", withWeight(3, 4), /to sum to 1 but received \[0.25, 3.0\]/],
  [
    "a missing component",
    withTransform((transform) => (transform.components as Described[]).pop(), pairFile),
    /weights to hold 1 values but received 2/,
  ],
  [
    "an unknown kind",
    withTransform((transform) => (transform.kind = "mixtura"), pairFile),
    /'mixtura' is missing or unknown/,
  ],
  [
    "another side",
    withTransform((transform) => (transform.side = 3), posesFile),
    /a density of 8 values for the side 3 but received 3/,
  ],
  ["the end missing", pairFile.subarray(0, pairFile.length - 4), /is damaged: expected \d+ bytes/],
];

const loading = `
import json, sys
from gaussianize import load
sentences = []
for path in json.loads(sys.argv[1]):
    try:
        load(path)
        sentences.append("no error")
    except ValueError as error:
        sentences.append(str(error))
print(json.dumps(sentences))
`;

test.skipIf(python === undefined)(
  "rejects damaged mixtures with the name of the file",
  async () => {
    const { path } = await modelFolder();
    const files = damaged.map((_, k) => path(`damaged-${k}.safetensors`));
    for (const [k, [, file]] of damaged.entries()) await writeFile(files[k], file);
    const environment = { ...process.env, PYTHONPATH: resolve("python") };
    const words = ["-c", loading, JSON.stringify(files)];
    const ran = await promisify(execFile)(python as string, words, { env: environment });
    const sentences = JSON.parse(ran.stdout) as string[];
    damaged.forEach(([what, , sentence], k) => {
      expect(sentences[k], what).toMatch(sentence);
      expect(sentences[k], what).toContain(files[k]);
    });
  },
);
