import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { decodeModel, encodeModel } from "../../../src/density/model-files/model-file.js";
import type { AnyModel } from "../../../src/density/model-files/model.js";
import { GaussianizeError } from "../../../src/errors.js";
import { createRandom } from "../../../src/random/random-stream.js";
import type { AnyMixture } from "../../../src/density/mixtures/mixture.js";
import { everyMixture } from "../../support/mixtures.js";
import { about, everyImageModel, everyModel } from "../../support/models.js";
import { mutations } from "./mutations.js";
import { seed } from "../../support/seed.js";

// Not the longest: it would take half of the time.
const mixtures = everyMixture().map(
  ([name, transform]) => [name, { transform: transform as AnyMixture, about }] as const,
);
const files = [...everyModel(), ...everyImageModel(), ...mixtures]
  .filter(([name]) => !name.startsWith("a cascade of all"))
  .map(([, model]) => encodeModel(model));
const kinds = Object.entries(mutations);
const perKind = 1750;

/** Returns the model or the error; anything else fails the test. */
function readOrRefuse(bytes: Uint8Array, place: string): AnyModel | string {
  try {
    return decodeModel(bytes, "mutant");
  } catch (error) {
    if (error instanceof GaussianizeError && /^mutant[:,] \S.*\.$/.test(error.message)) {
      return error.message;
    }
    throw new Error(`${place}: not one sentence: ${String(error)}`, { cause: error });
  }
}

test(`${kinds.length * perKind} damaged files are rejected in one sentence or read as valid models (seed ${seed})`, () => {
  const sentences = new Set<string>();
  const report: string[] = [];
  let [refused, read] = [0, 0];
  for (const [kind, mutate] of kinds) {
    const before = read;
    for (let k = 0; k < perKind; k += 1) {
      const random = createRandom(seed, "mutant", kind, k);
      const [file, other] = [random.integer(files.length), random.integer(files.length)];
      const place = `${kind}, number ${k}`;
      const result = readOrRefuse(mutate(random, files[file], files[other]), place);
      if (typeof result === "string") {
        refused += 1;
        // Without values and names, the sentences count the checks that mutants reach.
        sentences.add(result.replace(/".*?"|\[.*?\]|-?\d[\d.e+-]*|received .*/g, "…"));
      } else {
        read += 1;
        const again = encodeModel(result);
        const isSame = isDeepStrictEqual(decodeModel(again), result);
        expect(isSame, `${place}: the model is not read back as it was written`).toBe(true);
      }
    }
    report.push(`  ${kind}: ${perKind - (read - before)} refused, ${read - before} read`);
  }
  console.log(
    `${refused + read} mutations: ${refused} refused in ${sentences.size} kinds of sentences, ${read} read\n${report.join("\n")}`,
  );
  expect(refused + read).toBe(kinds.length * perKind);
  expect(refused + read).toBeGreaterThanOrEqual(20_000);
  // Damage that is always or never rejected would test only one side.
  expect(Math.min(refused, read)).toBeGreaterThan(1000);
  expect(sentences.size).toBeGreaterThan(30);
});
