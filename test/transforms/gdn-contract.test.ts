/** GDN in all structures, with and without H. */
import { gdnStructures } from "../../src/transforms/gdn-structures.js";
import { describeTransformContract } from "../contracts/transform-contract.js";
import { gdnCase } from "../support/transform-cases.js";

for (const structure of gdnStructures) {
  describeTransformContract(`GDN, ${structure}`, () =>
    [false, true].map((hasH) => gdnCase(structure, { n: structure === "subspace" ? 6 : 5, hasH })),
  );
}

describeTransformContract("GDN of one component", () =>
  (["general", "column", "marginal", "radial", "lp", "weighted-l2", "low-rank"] as const).map(
    (structure) => gdnCase(structure, { n: 1, hasH: structure === "general" }),
  ),
);

describeTransformContract("GDN with special parameters", () => [
  gdnCase("lp", {
    name: "lp, p above 2",
    n: 4,
    hasH: true,
    parameters: { alpha: [3.2], epsilon: [0.28] },
  }),
  gdnCase("radial", {
    name: "radial, ε = 0: linear",
    n: 3,
    hasH: true,
    parameters: { epsilon: [0] },
  }),
  // Satisfies only the paper's constraint: ε_0 α_01 = 1.25 and ε_1 α_10 = 1.2. The off-diagonal
  // weights are small enough for these inputs.
  gdnCase("general", {
    name: "general, not certified",
    n: 2,
    hasH: false,
    parameters: {
      alpha: [1.5, 2.5, 3, 2],
      beta: [1, 0.8],
      gamma: [0.6, 0.01, 0.002, 0.5],
      epsilon: [0.5, 0.4],
    },
  }),
]);
