import { describe, expect, it } from "vitest";
import { layerOf, modelContributions, partsOfRows } from "../../src/evaluation/pooling.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";

const layer = gdn({
  structure: "column",
  dimension: 2,
  H: [1, 0, 0, 2],
  alpha: [1, 2],
  beta: [1, 1],
  gamma: [0.5, 0.25, 0.1, 0.4],
  epsilon: [0.4, 0.3],
});

describe("who divides whom", () => {
  it("counts what comes out of the stages before the layer", async () => {
    const { kernels } = await loadKernels();
    const doubled = affine({ dimension: 2, scale: [2, 2] });
    const model = { transform: cascade([doubled, layer]), about: {} };
    const x = Float32Array.of(1, 1, -3, 0);
    // z = (2, 4), (−6, 0): mean |z₁| = 4, mean z₂² = 8.
    const contributions = await modelContributions(new InlineRunner(kernels), model, x);
    [0.5 * 4, 0.25 * 8, 0.1 * 4, 0.4 * 8].forEach((value, k) => {
      expect(contributions[k]).toBeCloseTo(value, 5);
    });
    expect([...layerOf(model).H]).toEqual([1, 0, 0, 2]);
  });

  it("is asked of the first layer of a stack, whose filters are on pixels", async () => {
    const { kernels } = await loadKernels();
    const above = gdn({ ...layer, H: [3, 1, 0, 1], gamma: [0.1, 0.2, 0.3, 0.4] });
    const runner = new InlineRunner(kernels);
    const x = Float32Array.of(1, 1, -3, 0);
    const [one, stack] = [layer, cascade([layer, above])].map((transform) => ({
      transform,
      about: {},
    }));
    expect(layerOf(stack).H).toEqual(layer.H);
    expect(await modelContributions(runner, stack, x)).toEqual(
      await modelContributions(runner, one, x),
    );
  });

  it("takes rows as parts of their largest, and refuses models without filters", () => {
    expect([...partsOfRows(Float64Array.of(1, 2, 0, 0), 2)]).toEqual([0.5, 1, 0, 0]);
    const plain = affine({ dimension: 2, scale: [2, 2] });
    expect(() => layerOf({ transform: plain, about: {} })).toThrow(/have a GDN with filters H/);
  });
});
