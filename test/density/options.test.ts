import { describe, expect, test } from "vitest";
import { logProb } from "../../src/density/induced-density.js";
import { sample, synthesize } from "../../src/density/synthesis.js";
import { verify } from "../../src/density/verification/verify.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { projectOntoBounds } from "../../src/training/parameter-bounds.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { expectError, refusal } from "../support/expect-error.js";
import { simdRunner } from "../support/inline-runners.js";

const layer = startingGdn({ structure: "column", dimension: 2 });
const x = Float32Array.of(1, 2);
/** Options as a JavaScript caller might write them. */
const misspelled = { certifed: true, onProgres: () => undefined } as object;

describe("anything but a runner or a transform", () => {
  test("is named in the error", async () => {
    const promised = Promise.resolve(simdRunner) as unknown as typeof simdRunner;
    await expectError(logProb(promised, layer, x), {
      code: "invalid-argument",
      argument: "the first argument",
      phrase: "await openRunner()",
    });
    const model = { transform: layer, about: {} } as unknown as typeof layer;
    await expect(logProb(simdRunner, model, x)).rejects.toThrow("of a model: its .transform");
    expectError(() => cascade(layer as never), {
      code: "invalid-argument",
      argument: "the stages of a cascade",
    });
  });
});

describe("misspelled options are rejected", () => {
  test.each([
    ["logProb", () => logProb(simdRunner, layer, x, misspelled)],
    ["synthesize", () => synthesize(simdRunner, layer, x, misspelled)],
    ["sample", () => sample(simdRunner, layer, 1, 1, misspelled)],
    ["verify", () => verify(simdRunner, layer, x, misspelled)],
    ["negentropyGradient", () => negentropyGradient(simdRunner, layer, x, misspelled)],
    [
      "fitTransform",
      () => fitTransform(simdRunner, layer, { steps: 1, batchAt: () => x, ...misspelled }),
    ],
  ])("%s", async (_, call) => {
    await expect(call()).rejects.toThrow(
      /^Expected the options to have only the fields .* but received "certifed"\.$/,
    );
  });

  test("projectOntoBounds", () => {
    expect(() => {
      projectOntoBounds(layer, misspelled);
    }).toThrow(
      refusal("the bounds", "have only the fields certified, exponentBound, holds", "certifed"),
    );
  });
});
