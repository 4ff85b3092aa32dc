import { expect, test } from "vitest";
import { densityOf } from "../../../src/density/density-of.js";
import { mixture } from "../../../src/density/mixtures/mixture.js";
import { verifyMixture } from "../../../src/density/mixtures/verify-mixture.js";
import { affine } from "../../../src/transforms/affine.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { pointwise } from "../../../src/transforms/pointwise.js";
import { verify } from "../../../src/density/verification/verify.js";
import { referenceRunner } from "../../support/inline-runners.js";
import { component, plainMixture, symmetric } from "../../support/mixtures.js";

const layer = (epsilon: number) =>
  gdn({
    structure: "column",
    dimension: 3,
    alpha: [1.5, 2, 1.2],
    beta: [1, 0.5, 2],
    gamma: [0.5, 0.1, 0, 0.3, 0.2, 0.1, 0.6, 0.2, 0.4],
    epsilon: [epsilon, 0.2, 0.3],
  });

test("joins the reports of the components: the worst figures count", async () => {
  const x = Float64Array.from({ length: 60 }, (_, k) => Math.sin(k * k));
  const parts = [layer(0.5), layer(0.3)];
  const found = await verifyMixture(referenceRunner, mixture({ components: parts }), x);
  const alone = await Promise.all(parts.map((part) => verify(referenceRunner, part, x)));
  expect(found.components.map(({ name }) => name)).toEqual(["component 0", "component 1"]);
  expect(found.components.map(({ certificate }) => certificate)).toEqual(
    alone.map(({ certificate }) => certificate),
  );
  expect(found.certificate).toBe(Math.max(...alone.map(({ certificate }) => certificate ?? 0)));
  expect(found.smallestPivot).toBe(Math.min(...alone.map((each) => each.smallestPivot ?? 9)));
  expect([found.invertible, found.samples, found.failedSamples]).toEqual([true, 20, 0]);
  expect(found.proven[0]).toBe(
    "Proven: all 2 transforms of the mixture are invertible everywhere, so the mixture is a density.",
  );
  expect(found.proven.slice(1).map((sentence) => sentence.split(" is ")[0])).toEqual([
    "Proven, component 0: stage 0 (gdn, column)",
    "Proven, component 1: stage 1 (gdn, column)",
  ]);
  expect(found.stages.length).toBe(2);
});

test("verifies a transform once for all its poses", async () => {
  const found = await densityOf(symmetric(component("a", 4), false), referenceRunner).verify();
  expect(found.proven[0]).toMatch(/^Proven: the transform of the mixture is invertible/);
  expect("components" in found && found.components.length).toBe(1);
});

test("one component that is not onto makes the mixture no density", async () => {
  const bounded = gdn({ structure: "classic", dimension: 3, beta: [0.6] });
  const components = [affine({ dimension: 3 }), plainMixture(3), bounded];
  const found = await densityOf(mixture({ components }), referenceRunner).verify();
  expect(found.invertible).toBe(false);
  expect(found.proven[0]).toBe(
    "Disproven: 1 of the 5 transforms of the mixture is not invertible, so the mixture is no density.",
  );
});

test("a sample fails only if no component has a density there", async () => {
  const curve = (lower: number) =>
    pointwise({ dimension: 1, lower, upper: lower + 2, rate: 1, asymmetry: 1, center: 0 });
  const both = mixture({ components: [curve(-1), curve(0)] });
  const found = await densityOf(both, referenceRunner).verify([[-0.5], [0.5], [1.5], [3]]);
  expect(found).toMatchObject({ samples: 4, failedSamples: 1, outsideSamples: 2 });
  expect(found.observed.at(-1)).toBe("Observed: no component has a density at 1 of 4 samples.");
});
