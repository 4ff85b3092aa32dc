import { describe, expect, test } from "vitest";
import {
  chiDistribution,
  probabilityBetween,
  standardNormal,
} from "../../src/evaluation/reference-densities.js";
import { expectClose } from "../support/expect-close.js";
import { intervalNodes } from "../support/quadrature.js";

// Numbers with 18 digits are mpmath's, computed with 40.

describe("the standard normal distribution", () => {
  test.each([
    [0.5, 0.308537538725986896],
    [1, 0.158655253931457051],
    [3, 0.00134989803163009453],
    [6, 9.86587645037698141e-10],
    [12, 1.776482112077679e-33],
    [37, 5.72557122252457682e-300],
  ])("exceeds %d with probability %d, to a relative error of 1e-12", (x, probability) => {
    const { cdf, survival } = standardNormal;
    expectClose([survival(x), cdf(-x)], [probability, probability], { relative: 1e-12 });
    expectClose([survival(-x), cdf(x)], [1 - probability, 1 - probability], { relative: 1e-15 });
  });

  test("has half of its mass on either side of 0, and its density there is (2π)^−½", () => {
    expect(standardNormal.cdf(0)).toBe(0.5);
    expectClose(standardNormal.density(0), 1 / Math.sqrt(2 * Math.PI), { relative: 1e-15 });
    expectClose(standardNormal.logDensity(40), -800 - Math.log(2 * Math.PI) / 2);
    expect([standardNormal.cdf(-Infinity), standardNormal.cdf(Infinity)]).toEqual([0, 1]);
  });
});

describe("the χ distribution", () => {
  test.each([
    [1, 0.3, -0.270791352644727429, 0.235822844377905266, 0.764177155622094734],
    [2, 1.5, -0.719534891891835618, 0.67534753264165027, 0.32465246735834973],
    [3, 2, -0.839496991524836814, 0.738535870050889378, 0.261464129949110622],
    [64, 5, -10.6851976673252916, 2.8488753312769792e-6, 0.999997151124668723],
    [64, 8, -0.574969024843951743, 0.523511694523741411, 0.476488305476258589],
    [64, 11, -9.01238396437627095, 0.99997797227482722, 0.0000220277251727799288],
    [256, 12, -17.9319444584709787, 1.7096615665581694e-9, 0.999999998290338433],
    [256, 14, -4.62352110252011109, 0.00210042600903302484, 0.997899573990966975],
    [256, 16, -0.573015983266842189, 0.511754450904122901, 0.488245549095877099],
    [256, 20, -15.6714103981433545, 0.999999979053983946, 2.09460160540384465e-8],
    [4096, 60, -16.8576496913824914, 5.61867365930866092e-9, 0.999999994381326341],
    [4096, 64, -0.572405633028543378, 0.502938495376779958, 0.497061504623220042],
    [4096, 70, -35.6106157987597353, 0.999999999999999971, 2.93752869994702084e-17],
  ])("with %i degrees of freedom at %d is right to 1e-12", (k, x, logDensity, below, above) => {
    const chi = chiDistribution(k);
    expectClose([chi.logDensity(x), chi.cdf(x), chi.survival(x)], [logDensity, below, above], {
      relative: 1e-12,
    });
  });

  test("is half a normal distribution for 1 degree, and Rayleigh's for 2", () => {
    for (const x of [0.01, 0.7, 1, 2.5, 6]) {
      const [one, two] = [chiDistribution(1), chiDistribution(2)];
      expectClose(one.density(x), 2 * standardNormal.density(x), { relative: 1e-13 });
      expectClose(one.survival(x), 2 * standardNormal.survival(x), { relative: 1e-13 });
      expectClose(two.density(x), x * Math.exp((-x * x) / 2), { relative: 1e-13 });
      expectClose(two.survival(x), Math.exp((-x * x) / 2), { relative: 1e-13 });
    }
  });

  test.each([3, 64, 256, 4096])("with %i degrees integrates to its distribution function", (k) => {
    const chi = chiDistribution(k);
    const center = Math.sqrt(k);
    for (const [a, b] of [
      [Math.max(0, center - 6), center + 0.5],
      [center - 1, center + 1],
    ]) {
      const nodes = intervalNodes(a, b, 0.01);
      const sum = nodes.reduce((total, { at, weight }) => total + weight * chi.density(at), 0);
      expectClose(sum, probabilityBetween(chi, a, b), { relative: 1e-10 });
    }
  });

  test("is 0 below 0 and has its limits at 0 and infinity", () => {
    const one = chiDistribution(1);
    expectClose(one.density(0), Math.sqrt(2 / Math.PI), { relative: 1e-15 });
    expect(chiDistribution(2).density(0)).toBe(0);
    expect([one.density(-1), one.cdf(-1), one.survival(-1)]).toEqual([0, 0, 1]);
    expect([one.density(Infinity), one.cdf(Infinity)]).toEqual([0, 1]);
  });

  test("rejects degrees of freedom that are not positive", () => {
    expect(() => chiDistribution(0)).toThrow("degreesOfFreedom to be a positive number");
  });
});

describe("probabilityBetween", () => {
  test("keeps its digits in both tails", () => {
    const tail = standardNormal.survival(9) - standardNormal.survival(10);
    expectClose(probabilityBetween(standardNormal, 9, 10), tail, { relative: 1e-15 });
    expectClose(probabilityBetween(standardNormal, -10, -9), tail, { relative: 1e-15 });
    expectClose(probabilityBetween(standardNormal, -1, 1), 0.682689492137085897, {
      relative: 1e-14,
    });
  });
});
