import { describe, expect, test } from "vitest";
import { transformJob } from "../../src/density/transform-job.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { trusted } from "../../src/transforms/checks.js";
import type { Linear } from "../../src/transforms/linear.js";
import type { Stage } from "../../src/transforms/transform.js";
import { gdnForms, randomLayerCase } from "../support/gdn-layers.js";
import { referenceRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

const leaves = { leafSize: 8, maximumLeaves: 1 };
const everything = {
  pass: "backpropagate",
  wantsY: true,
  wantsInputGradient: true,
  wantsSums: true,
} as const;

describe(`transformJob (seed ${seed})`, () => {
  test("one session serves layers of any shape in turn", () => {
    const shared = transformJob.open(referenceRunner.kernels);
    for (const [trial, form] of [...gdnForms, ...gdnForms].entries()) {
      const random = createRandom(seed, "session", trial);
      const n = 1 + random.integer(6);
      const linear = trial % 2 === 0;
      const { layer, x, upstream } = randomLayerCase(random, { form, n, count: 5, linear });
      const own = transformJob.open(referenceRunner.kernels);
      const [expected, actual] = [own, shared].map((session) => {
        session.share({ stages: [layer], leaves });
        return session.perform({ ...everything, x, upstream });
      });
      expect(actual).toEqual(expected);
      const { sums, y, energy, logDeterminant, failedStage, failedComponent, xGradient } =
        actual.result;
      expect(sums!.map((groups) => Object.keys(groups).length)).toEqual([linear ? 5 : 4]);
      // Every array moves to the caller, the sums of a stage in one piece.
      const arrays = [y!, energy!, logDeterminant!, failedStage!, failedComponent!, xGradient!];
      const moved = new Set(actual.transfer);
      for (const array of [...arrays, ...sums!.flatMap((groups) => Object.values(groups))]) {
        expect(moved.has(array.buffer as ArrayBuffer)).toBe(true);
      }
      expect(moved.size).toBe(arrays.length + 1);
    }
  });

  test("one session serves cascades of any length in turn", () => {
    const shared = transformJob.open(referenceRunner.kernels);
    const [n, count] = [3, 5];
    for (const [trial, stageCount] of [1, 3, 2, 3, 1].entries()) {
      const random = createRandom(seed, "session of cascades", trial);
      const stages: Stage[] = Array.from({ length: stageCount }, (_, k) => {
        const size = { form: gdnForms[(trial + k) % 3], n, count, linear: k === 0 };
        return k === 1
          ? affine({ dimension: n, shift: random.normalFill(new Float64Array(n)) })
          : randomLayerCase(random, size).layer;
      });
      const x = random.normalFill(new Float64Array(n * count));
      const own = transformJob.open(referenceRunner.kernels);
      const [expected, actual] = [own, shared].map((session) => {
        session.share({ stages, leaves });
        return session.perform({ ...everything, x, upstream: null });
      });
      expect(actual).toEqual(expected);
      expect(actual.result.sums?.length).toBe(stageCount);
      // One piece for each stage.
      expect(new Set(actual.transfer).size).toBe(6 + stageCount);
    }
  });

  test("parameters come before tasks", () => {
    const session = transformJob.open(referenceRunner.kernels);
    const task = { pass: "gaussianize", x: Float64Array.of(1), wantsY: true } as const;
    expect(() => session.perform(task)).toThrow("parameters come before tasks");
  });

  test("does not check again that H has an inverse", () => {
    const session = transformJob.open(referenceRunner.kernels);
    const singular = trusted<Linear>({
      kind: "linear",
      dimension: 2,
      H: Float64Array.of(1, 2, 2, 4),
    });
    session.share(structuredClone({ stages: [singular], leaves }));
    const { y } = session.perform({
      pass: "gaussianize",
      x: Float64Array.of(1, 1),
      wantsY: true,
    }).result;
    expect(y).toEqual(Float64Array.of(3, 6));
  });
});
