/** The cases of test/fixtures/gdn.json, which an independent program computed by automatic differentiation. */
import { readFileSync } from "node:fs";
import type { GdnForm, GdnGradient, GdnParameters } from "../../src/kernels/kernels.js";
import { gdnParameters } from "../../src/transforms/gdn-parameters.js";

type Matrix = readonly (readonly number[])[];

interface Groups {
  readonly H: Matrix;
  readonly alpha: Matrix;
  readonly beta: readonly number[];
  readonly gamma: Matrix;
  readonly epsilon: readonly number[];
}

interface FixtureCase {
  readonly name: string;
  readonly N: number;
  readonly parameters: Groups;
  readonly x: Matrix;
  readonly y: Matrix;
  readonly logAbsDetJacobian: readonly number[];
  readonly logProb: readonly number[];
  readonly score: Matrix;
  readonly gradientOfMeanNegativeLogProb: Groups;
}

export interface GoldenCase {
  /** Name of the case and the form it is stored in here. */
  readonly name: string;
  readonly parameters: GdnParameters;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly logDeterminant: Float64Array;
  readonly logProb: Float64Array;
  readonly score: Float64Array;
  readonly gradient: GdnGradient;
}

const file = new URL("../fixtures/gdn.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: FixtureCase[] };

/** Every case in the general form, and in the tied forms that can hold it. */
export const goldenCases: readonly GoldenCase[] = cases.flatMap((given) =>
  formsOf(given.parameters).map((form) => ({
    name: `${given.name} (${form})`,
    parameters: gdnParameters({
      form,
      dimension: given.N,
      ...tied(form, given.parameters, "value"),
    }),
    x: flat(given.x),
    y: flat(given.y),
    logDeterminant: Float64Array.from(given.logAbsDetJacobian),
    logProb: Float64Array.from(given.logProb),
    score: flat(given.score),
    gradient: tied(form, given.gradientOfMeanNegativeLogProb, "sum"),
  })),
);

function formsOf({ alpha, gamma }: Groups): GdnForm[] {
  const forms: GdnForm[] = ["general"];
  if (alpha.every((row) => row.every((value, j) => value === alpha[0][j]))) forms.push("column");
  if (gamma.every((row, i) => row.every((value, j) => value === 0 || i === j))) {
    forms.push("diagonal");
  }
  return forms;
}

/** A tied parameter has the value of the entries it stands for, and the sum of their gradients. */
function tied(form: GdnForm, { H, alpha, beta, gamma, epsilon }: Groups, how: "value" | "sum") {
  const ofColumn = (j: number): number =>
    how === "value" ? alpha[j][j] : alpha.reduce((sum, row) => sum + row[j], 0);
  return {
    H: flat(H),
    alpha: form === "general" ? flat(alpha) : Float64Array.from(beta, (_, j) => ofColumn(j)),
    beta: Float64Array.from(beta),
    gamma: form === "diagonal" ? Float64Array.from(gamma, (row, i) => row[i]) : flat(gamma),
    epsilon: Float64Array.from(epsilon),
  };
}

function flat(matrix: Matrix): Float64Array {
  return Float64Array.from(matrix.flat());
}
