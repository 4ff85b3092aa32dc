import { describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { mixture } from "../../src/density/mixtures/mixture.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import { likelihoodMap } from "../../src/evaluation/likelihood-map.js";
import { scorerOf } from "../../src/evaluation/mixture-scores.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { expectClose } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { referenceRunner } from "../support/inline-runners.js";
import { component, plainMixture, symmetric } from "../support/mixtures.js";

const random = createRandom(6, "mixture scores");
const x = random.normalFill(new Float64Array(60));
const alone = component("a", 4);
const of = (stages: number) => ({ patch: { width: 2, height: 2 }, preprocessing: { stages } });

describe("scores of a mixture", () => {
  test.each([0, 1, 2])("of one transform are those of the transform, %i stages", async (stages) => {
    const about = of(stages);
    const wanted = scorerOf(referenceRunner, { transform: alone, about });
    const transform = mixture({ components: [alone] });
    const scorer = scorerOf(referenceRunner, { transform, about });
    expect(scorer.preprocessingStages).toBe(wanted.preprocessingStages);
    const [a, b] = [await scorer.score(x), await wanted.score(x)];
    expectClose(a.logProb, b.logProb, { relative: 1e-13 });
    expectClose(a.negentropyDifference, b.negentropyDifference, { relative: 1e-12, scale: 1 });
  });

  test("log p plus ΔJ is −(N/2) log 2π − ½‖x‖² for every mixture", async () => {
    const transform = symmetric(plainMixture(4), false);
    const scorer = scorerOf(referenceRunner, { transform, about: {} });
    const { logProb, negentropyDifference } = await scorer.score(x);
    for (let s = 0; s < 15; s++) {
      const square = x.slice(4 * s, 4 * s + 4).reduce((sum, value) => sum + value * value, 0);
      const wanted = -2 * Math.log(2 * Math.PI) - square / 2;
      expectClose(logProb[s] + negentropyDifference[s], wanted, { relative: 1e-13 });
    }
  });

  test("are NaN for a sample that no component has a density at", async () => {
    const curve = pointwise({
      dimension: 1,
      lower: 0,
      upper: 1,
      rate: 1,
      asymmetry: 1,
      center: 0,
    });
    const transform = mixture({ components: [curve] });
    const scorer = scorerOf(referenceRunner, { transform, about: {} });
    const { logProb, negentropyDifference } = await scorer.score(Float64Array.of(0.5, 2));
    expect([...logProb].map(Number.isNaN)).toEqual([false, true]);
    expect([...negentropyDifference].map(Number.isNaN)).toEqual([false, true]);
  });

  test("reject more preprocessing stages than the first transform has", () => {
    const transform = mixture({ components: [alone] });
    expectError(() => scorerOf(referenceRunner, { transform, about: of(3) }), {
      code: "invalid-argument",
      argument: "about.preprocessing.stages",
    });
  });
});

test("evaluate and likelihoodMap work with mixtures", async () => {
  const image = deadLeaves(createRandom(2, "scene"), { width: 12, height: 9 });
  const model = { transform: symmetric(alone, false), about: of(0) };
  const density = densityOf(model, referenceRunner);
  const result = await evaluate(
    density,
    { images: 1, load: () => Promise.resolve(image) },
    { grid: 2 },
  );
  const map = await likelihoodMap(referenceRunner, model, image, { stride: 2 });
  expect(map.natsPerDimension.length).toBe(result.samples);
  expectClose(map.mean, result.natsPerDimension, { relative: 1e-12 });
});
