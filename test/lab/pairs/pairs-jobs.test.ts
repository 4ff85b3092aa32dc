import { expect, test } from "vitest";
import { pairParameters, parameterCounts } from "../../../lab/panels/pairs/pair-frame.js";
import { pairModels } from "../../../lab/panels/pairs/pair-models.js";
import { syntheticPairs } from "../../../lab/panels/pairs/synthetic-pairs.js";
import { openRunner } from "../../../node/index.js";
import { densityOf } from "../../../src/density/density-of.js";
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import { stagesOf } from "../../../src/transforms/cascade.js";
import { fitInNode } from "./node-parts.js";

test("saves a model with one affine stage, for pairs in their own units", async () => {
  const random = createRandom(5, "rows");
  const rows = Array.from({ length: 300 }, () => [1e4 + 3 * random.normal(), random.normal()]);
  const text = rows.map((row) => row.join(",")).join("\n");
  const table = { key: "rows", file: new File([text], "rows.csv") };
  const source = { kind: "csv", table, seed: "1" } as const;
  const { modelFile } = await fitInNode({ source, model: "gdn", steps: 30, seed: "1" });
  const model = decodeModel(modelFile);
  expect(stagesOf(model.transform).map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
  const density = densityOf(model, () => openRunner({ workers: 0 }));
  const { y } = await density.gaussianize(rows);
  for (const i of [0, 1]) {
    const column = Array.from(y).filter((_, k) => k % 2 === i);
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    const square = column.reduce((sum, value) => sum + value * value, 0) / column.length;
    expect(Math.abs(mean)).toBeLessThan(0.1);
    expect(Math.abs(square - 1)).toBeLessThan(0.3);
  }
});

test.each(pairModels)("counts the parameters of $title before a fit", async (model) => {
  const runner = await openRunner({ workers: 0 });
  const x = Float32Array.from(syntheticPairs("elliptical", 3000, "1"));
  const fitted = await fitSamples(runner, x, { dimension: 2, model: model.model, steps: 2 });
  const lengths = Object.entries(pairParameters(fitted)).map(([name, values]) => [
    name,
    values.length,
  ]);
  expect(Object.entries(parameterCounts(model))).toEqual(lengths);
});
