/** Compares the mixtures of python/gaussianize.py with the Float64 specification. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { writeModel } from "../../node/model-files.js";
import { densityOf } from "../../src/density/density-of.js";
import type { AnyMixture } from "../../src/density/mixtures/mixture.js";
import { createRandom } from "../../src/random/random-stream.js";
import { modelFolder } from "../support/commands.js";
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
