/** Claims about types, checked by `tsc`, which also reports missing expected errors. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { type Gdn, type GdnInput, gdn } from "../../src/transforms/gdn.js";

const one = { dimension: 1, beta: [1], gamma: [1], epsilon: [0.4] };

describe("the parameters of a layer depend on its structure", () => {
  test("radial fixes alpha", () => {
    expect(gdn({ structure: "radial", ...one }).alpha).toHaveLength(0);
    // @ts-expect-error: alpha is fixed
    expect(() => gdn({ structure: "radial", ...one, alpha: [2] })).toThrow("alpha");
  });

  test("column needs alpha", () => {
    expect(gdn({ structure: "column", ...one, alpha: [2] }).alpha).toHaveLength(1);
    // @ts-expect-error: alpha is missing
    expect(() => gdn({ structure: "column", ...one })).toThrow("alpha");
  });

  test("only low-rank has a rank", () => {
    const pools = { ...one, alpha: [2], gamma: [1, 1, 1] };
    expect(gdn({ structure: "low-rank", ...pools, rank: 1 }).rank).toBe(1);
    // @ts-expect-error: rank is missing
    expect(() => gdn({ structure: "low-rank", ...pools })).toThrow("rank");
    // @ts-expect-error: no rank elsewhere
    expect(() => gdn({ structure: "column", ...one, alpha: [2], rank: 1 })).toThrow("rank");
  });

  test("only subspace has a partition", () => {
    expect(gdn({ structure: "subspace", ...one, partition: [0] }).partition).toHaveLength(1);
    // @ts-expect-error: partition is missing
    expect(() => gdn({ structure: "subspace", ...one })).toThrow("partition");
    // @ts-expect-error: no partition elsewhere
    expect(() => gdn({ structure: "radial", ...one, partition: [0] })).toThrow("partition");
  });

  test("classic has only beta, and weighted-l2 no epsilon", () => {
    expect(gdn({ structure: "classic", dimension: 1, beta: [1] }).gamma).toHaveLength(0);
    // @ts-expect-error: gamma and epsilon are fixed
    expect(() => gdn({ structure: "classic", ...one })).toThrow("gamma");
    // @ts-expect-error: epsilon is fixed
    expect(() => gdn({ structure: "weighted-l2", ...one })).toThrow("epsilon");
  });
});

describe("a layer", () => {
  const column = gdn({ structure: "column", ...one, alpha: [2] });

  test("has the type of its structure", () => {
    expectTypeOf(column).toEqualTypeOf<Gdn<"column">>();
    expectTypeOf(column).toExtend<Gdn>();
    expectTypeOf(startingGdn({ structure: "lp", dimension: 2 })).toEqualTypeOf<Gdn<"lp">>();
    expectTypeOf<Gdn["structure"]>().toEqualTypeOf<GdnInput["structure"]>();
  });

  test("is distinguished by its structure", () => {
    const any = column as Gdn;
    if (any.structure === "low-rank") expectTypeOf(any.rank).toEqualTypeOf<number>();
    if (any.structure === "subspace") expectTypeOf(any.partition).toEqualTypeOf<Int32Array>();
    if (any.structure === "radial") expectTypeOf(any.alpha.length).toEqualTypeOf<0>();
  });

  test("is a valid input, with or without changes", () => {
    expect(gdn(column as Gdn)).toEqual(column);
    expect(gdn({ ...column, gamma: [2] }).gamma).toEqual(Float64Array.of(2));
    const radial = gdn({ structure: "radial", ...one });
    expect(gdn({ ...radial, beta: [2] }).beta).toEqual(Float64Array.of(2));
  });
});
