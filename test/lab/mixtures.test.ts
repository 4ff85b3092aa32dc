/** The Patches panel with a mixture: samples, or one sentence if it needs a single transform. */
import { expect, test } from "vitest";
import { checkFile } from "../../lab/compute/check-file-job.js";
import { namedFile } from "../../lab/named-file.js";
import { viewFilters } from "../../lab/panels/patches/filters-job.js";
import { drawSamples, walkBetween } from "../../lab/panels/patches/samples-job.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { expectError } from "../support/expect-error.js";
import { simdRunner } from "../support/inline-runners.js";
import { component, symmetric } from "../support/mixtures.js";

const about = { name: "mixed", patch: { width: 4, height: 4, black: 0, white: 1 } };
const bytes = encodeModel({ transform: symmetric(component("a", 16), false), about });
const model = {
  kind: "file",
  ...namedFile(new File([bytes as Uint8Array<ArrayBuffer>], "mix.safetensors")),
} as const;
const context = {
  runner: simdRunner,
  signal: new AbortController().signal,
  report: () => undefined,
  whileHeld: () => Promise.resolve(),
};

test("a mixture is a model of patches, and its samples are drawn", async () => {
  const facts = await checkFile(
    { ...model, accepts: ["patch model"], needsPatches: true },
    context,
  );
  expect(facts).toMatchObject({ kind: "patch model", patchSide: 4 });
  const draws = await drawSamples({ model, seed: 1, temperature: 1 }, context);
  expect(draws.bitmap.width).toBeGreaterThan(100);
  expect(draws.title).toBe("mix.safetensors");
});

test("filters and walks need a single transform", async () => {
  const wanted = { code: "invalid-argument", phrase: "no single transform" } as const;
  await expectError(viewFilters({ model, shown: "filters", hasRoots: false }, context), wanted);
  const way = { seed: 1, temperature: 1, from: 0, to: 1, path: "arc", parts: [0, 1] } as const;
  await expectError(walkBetween({ model, ...way }, context), wanted);
});
