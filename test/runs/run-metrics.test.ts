import { describe, expect, test } from "vitest";
import { MeanFigures, parseMetrics, stepsOfRecord } from "../../src/runs/run-metrics.js";

describe("records of metrics", () => {
  test.each([
    "null",
    "[]",
    "3",
    '"text"',
    "{}",
    "{",
    '{"step":-1,"meanLogProb":1,"negentropyDifferencePerDimension":1}',
    '{"step":1.5,"meanLogProb":1,"negentropyDifferencePerDimension":1}',
    '{"step":1,"meanLogProb":"1","negentropyDifferencePerDimension":1}',
    '{"step":1,"meanLogProb":1e999,"negentropyDifferencePerDimension":1}',
    '{"step":1,"meanLogProb":1,"negentropyDifferencePerDimension":-1e999}',
    '{"step":1,"heldOut":{"meanLogProb":1}}',
    '{"__proto__":{"step":1}}',
  ])("%s is none", (text) => {
    expect(parseMetrics(`${text}\n`)).toEqual([]);
  });

  test("distinguishes validations from steps", () => {
    const figures = { meanLogProb: 2, negentropyDifferencePerDimension: -3 };
    expect(parseMetrics(JSON.stringify({ step: 4, heldOut: figures }))).toEqual([
      { step: 4, isHeldOut: true, ...figures },
    ]);
  });
});

test("a fit makes about two hundred records, of means over the steps since the one before", () => {
  expect([1, 200, 201, 8000].map(stepsOfRecord)).toEqual([1, 1, 2, 40]);
  const means = new MeanFigures();
  means.add({ meanLogProb: 1, negentropyDifferencePerDimension: -2 });
  means.add({ meanLogProb: 3, negentropyDifferencePerDimension: -5 });
  const first = { meanLogProb: 2, negentropyDifferencePerDimension: -3.5 };
  expect(means.take()).toEqual(first);
  means.add(first);
  expect(means.take()).toEqual(first);
});
