import { describe, expect, test } from "vitest";
import { leavesOf } from "../../../src/density/mixtures/leaves.js";
import {
  type MixtureInput,
  type SymmetricMixtureInput,
  mixture,
  requireMixture,
  symmetricMixture,
} from "../../../src/density/mixtures/mixture.js";
import { parametersOf } from "../../../src/transforms/parameters.js";
import { affine } from "../../../src/transforms/affine.js";
import { isChecked } from "../../../src/transforms/checks.js";
import { expectClose } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { component, everyMixture, plainMixture, symmetric } from "../../support/mixtures.js";

const normal = affine({ dimension: 4 });
const invalid = "invalid-argument";

test("weights are equal by default, and copied", () => {
  const weights = Float32Array.of(0.25, 0.75);
  const made = mixture({ components: [normal, normal], weights });
  weights[0] = 1;
  expect(made.weights).toEqual(Float32Array.of(0.25, 0.75));
  expect(mixture({ components: [normal, normal] }).weights).toEqual(Float64Array.of(0.5, 0.5));
});

test("records survive structured clone, and the copy is checked again", () => {
  for (const [, given] of everyMixture()) {
    const copy = structuredClone(given) as ReturnType<typeof plainMixture>;
    expect(isChecked(copy)).toBe(false);
    const made = requireMixture(copy);
    expect(made).toEqual(given);
    expect(isChecked(made)).toBe(true);
    expect(requireMixture(made)).toBe(made);
  }
});

test("leaves are listed depth first, a symmetric mixture pose by pose", () => {
  const inner = plainMixture(4);
  const outer = mixture({ components: [normal, symmetric(inner, false)], weights: [0.2, 0.8] });
  const leaves = leavesOf(outer);
  expect(leaves.length).toBe(1 + 8 * 3);
  expect(leaves.slice(0, 5).map(({ name }) => name)).toEqual([
    "component 0",
    "component 1, pose 0, component 0",
    "component 1, pose 0, component 1",
    "component 1, pose 0, component 2",
    "component 1, pose 1, component 0",
  ]);
  expectClose(
    leaves.reduce((sum, { weight }) => sum + weight, 0),
    1,
    { absolute: 1e-15 },
  );
  expectClose(leaves[1].weight, 0.8 * 0.5 * (1 / 8), { relative: 1e-15 });
});

describe("bad input of mixture()", () => {
  const components = [normal, normal];
  test.each<readonly [string, unknown, string]>([
    ["nothing", undefined, "the parameters of a mixture"],
    ["no components", { components: [] }, "the components of a mixture"],
    ["components that are no list", { components: normal }, "the components of a mixture"],
    ["a component that is no record", { components: [3] }, "the kind of a transform"],
    ["a misspelt field", { components, weight: [1, 0] }, "the parameters of a mixture"],
    ["too few weights", { components, weights: [1] }, "weights"],
    ["a negative weight", { components, weights: [1.5, -0.5] }, "weights[1]"],
    ["a weight of 0", { components, weights: [1, 0] }, "weights[1]"],
    ["a weight that is no number", { components, weights: [1, NaN] }, "weights[1]"],
    [
      "weights that do not sum to 1",
      { components, weights: [0.5, 0.4] },
      "the weights of a mixture",
    ],
    ["other dimensions", { components: [normal, affine({ dimension: 3 })] }, "component 1"],
    ["a model", { components: [{ transform: normal, about: {} }] }, "a transform"],
  ])("%s", (_, input, argument) => {
    expectError(() => mixture(input as MixtureInput), { code: invalid, argument });
  });

  test("a copy with another dimension", () => {
    const copy = { ...plainMixture(3), dimension: 4 };
    expectError(() => requireMixture(copy), {
      code: invalid,
      argument: "the dimension of a mixture",
    });
  });
});

describe("bad input of symmetricMixture()", () => {
  test.each<readonly [string, unknown, string]>([
    ["another side", { side: 3, density: normal }, "the density of a symmetric mixture"],
    [
      "a mean that is not removed",
      { side: 2, removeMean: true, density: normal },
      "the density of a symmetric mixture",
    ],
    ["a fractional side", { side: 2.5, density: normal }, "the side of a patch"],
    ["a flag that is none", { side: 2, removeMean: 1, density: normal }, "removeMean"],
    ["no density", { side: 2 }, "the kind of a transform"],
  ])("%s", (_, input, argument) => {
    expectError(() => symmetricMixture(input as SymmetricMixtureInput), {
      code: invalid,
      argument,
    });
  });
});

test("nesting and the number of components are bounded", () => {
  let deep = mixture({ components: [normal] });
  const nest = () => {
    for (let k = 0; k < 8; k++) deep = mixture({ components: [deep] });
  };
  expectError(nest, { code: invalid, phrase: "at most 8 deep" });
  const wide = symmetric(symmetric(symmetric(normal, false), false), false);
  const both = { components: [wide, wide, wide] };
  expectError(() => mixture(both), { code: invalid, phrase: "at most 1024" });
});

test("a record that contains itself is rejected", () => {
  const record = { kind: "mixture", dimension: 4, components: [normal] as unknown[] };
  record.components.push(record);
  expectError(() => requireMixture(record as never), { code: invalid, phrase: "at most 8 deep" });
});

test("functions of transforms reject a mixture by name", () => {
  expectError(() => parametersOf(plainMixture(3)), { code: invalid, phrase: "a mixture" });
  expect(parametersOf(component("a", 3)).length).toBe(2);
});
