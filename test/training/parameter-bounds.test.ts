import { describe, expect, it } from "vitest";
import { projectOntoBounds } from "../../src/training/parameter-bounds.js";
import { gdnParameters } from "../../src/transforms/gdn-parameters.js";

describe("projectOntoBounds", () => {
  it.each(["column", "general"] as const)(
    "brings any %s parameters where the border accepts them",
    (form) => {
      const n = 3;
      const wild = (length: number) =>
        Float64Array.from({ length }, (_, k) => 3 * Math.sin(7 * k + 1));
      const parameters = {
        form,
        dimension: n,
        alpha: wild(form === "general" ? n * n : n),
        beta: wild(n),
        gamma: wild(n * n),
        epsilon: wild(n),
      };
      expect(() => gdnParameters(parameters)).toThrow();
      projectOntoBounds(parameters);
      expect(() => gdnParameters(parameters)).not.toThrow();
    },
  );

  it("leaves parameters inside the bounds alone", () => {
    const make = () => ({
      form: "column" as const,
      dimension: 2,
      alpha: Float64Array.of(1.5, 2),
      beta: Float64Array.of(1, 0.1),
      gamma: Float64Array.of(0, 1, 2, 3),
      epsilon: Float64Array.of(0, 0.49),
    });
    const parameters = make();
    projectOntoBounds(parameters);
    expect(parameters).toEqual(make());
  });

  it("keeps a margin to α_ii ε_i = 1", () => {
    const parameters = {
      form: "diagonal" as const,
      dimension: 1,
      alpha: Float64Array.of(2),
      beta: Float64Array.of(1),
      gamma: Float64Array.of(1),
      epsilon: Float64Array.of(0.5),
    };
    projectOntoBounds(parameters);
    expect(2 * parameters.epsilon[0]).toBeCloseTo(0.999, 12);
  });
});
