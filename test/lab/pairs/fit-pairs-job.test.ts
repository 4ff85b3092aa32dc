import { expect, test } from "vitest";
import { fitPairsWith } from "../../../lab/panels/pairs/fit-pairs-job.js";
import { gaussianize } from "../../../src/density/induced-density.js";
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { requirePatchModel } from "../../../src/density/model-files/model.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { stagesOf } from "../../../src/transforms/cascade.js";
import { decodePixels, openRunner } from "./node-parts.js";

const context = async () => ({
  runner: await openRunner({ workers: 0 }),
  signal: new AbortController().signal,
  report: () => undefined,
  whileHeld: () => Promise.resolve(),
});

test("a saved model has one affine stage, which takes the pairs as they came", async () => {
  const random = createRandom(5, "rows");
  const rows = Array.from({ length: 300 }, () => [1e4 + 3 * random.normal(), random.normal()]);
  const text = rows.map((row) => row.join(",")).join("\n");
  const file = new File([text], "rows.csv");
  const own = await context();
  const source = { kind: "csv", table: { key: "rows", file }, seed: "1" } as const;
  const input = { source, model: "gdn", steps: 30, seed: "1" } as const;
  const { modelFile } = await fitPairsWith(decodePixels, input, own);
  const { transform } = requirePatchModel(decodeModel(modelFile));
  expect(stagesOf(transform).map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
  const { y } = await gaussianize(own.runner, transform, Float32Array.from(rows.flat()));
  for (const i of [0, 1]) {
    const column = Array.from(y).filter((_, k) => k % 2 === i);
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    const square = column.reduce((sum, value) => sum + value * value, 0) / column.length;
    expect(Math.abs(mean)).toBeLessThan(0.1);
    expect(Math.abs(square - 1)).toBeLessThan(0.3);
  }
});
