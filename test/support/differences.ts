/** Derivatives of functions and batches by central differences. */
import { gaussianize } from "../../src/density/induced-density.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { trusted } from "../../src/transforms/checks.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import type { SideBySide } from "../../src/transforms/side-by-side.js";
import type { Cascade, Stage, Transform } from "../../src/transforms/transform.js";
import { referenceRunner } from "./inline-runners.js";

/**
 * Returns df/dt at 0 by central differences with two steps, combined to an error of fourth order:
 * h⁴ times the fifth derivative from truncation and 2e-16/h = 2e-12 from cancellation, for
 * functions of size 1.
 */
export function derivative(f: (t: number) => number, step = 1e-4): number {
  const slope = (h: number): number => (f(h) - f(-h)) / (2 * h);
  return (4 * slope(step / 2) - slope(step)) / 3;
}

/** Returns the derivatives by each of the values, which are changed in place and restored. */
export function gradientByDifferences(
  values: Float64Array,
  f: () => number,
  step?: number,
): Float64Array {
  return values.map((value, k) => {
    const shifted = (t: number): number => {
      values[k] = value + t;
      const result = f();
      values[k] = value;
      return result;
    };
    return derivative(shifted, step);
  });
}

/** Returns log |det| by elimination with row pivoting, independent of the library. */
export function logAbsDeterminant(rows: readonly Float64Array[]): number {
  const left = rows.map((row) => Float64Array.from(row));
  let sum = 0;
  for (let column = 0; column < rows.length; column += 1) {
    left.sort((a, b) => Math.abs(b[column]) - Math.abs(a[column]));
    const pivotRow = left.shift() as Float64Array;
    sum += Math.log(Math.abs(pivotRow[column]));
    for (const row of left) {
      const factor = row[column] / pivotRow[column];
      for (let j = column; j < row.length; j += 1) row[j] -= factor * pivotRow[j];
    }
  }
  return sum;
}

/** Returns df/dt at 0 for each value of f, with the error of `derivative`. */
export async function derivatives(
  f: (t: number) => Promise<FloatArray>,
  step = 1e-4,
): Promise<Float64Array> {
  const slopes = async (h: number): Promise<Float64Array> => {
    const [above, below] = [await f(h), await f(-h)];
    return Float64Array.from(above, (value, k) => (value - below[k]) / (2 * h));
  };
  const [coarse, fine] = [await slopes(step), await slopes(step / 2)];
  return fine.map((value, k) => (4 * value - coarse[k]) / 3);
}

/** Returns a copy with component j of every sample moved by t. */
export function shifted(x: Float64Array, n: number, j: number, t: number): Float64Array {
  return x.map((value, k) => (k % n === j ? value + t : value));
}

/** Returns the columns ∂y/∂x_j for each sample. */
export async function jacobians(transform: Transform, x: Float64Array): Promise<Float64Array[][]> {
  const n = transform.dimension;
  const columns: Float64Array[] = [];
  for (let j = 0; j < n; j += 1) {
    const yAt = async (t: number) =>
      (await gaussianize(referenceRunner, transform, shifted(x, n, j, t))).y;
    columns.push(await derivatives(yAt));
  }
  return Array.from({ length: x.length / n }, (_, s) =>
    columns.map((column) => column.slice(s * n, (s + 1) * n)),
  );
}

/**
 * Returns the transform with value k of one group moved by t, marked as checked: at a bound (γ_ij =
 * 0, α_ij = 1, ε_i = 0) the formulas hold on both sides.
 */
function withMovedParameter<T extends Transform | SideBySide>(
  transform: T,
  place: { readonly stage: number; readonly group: string; readonly k: number },
  t: number,
): T {
  const values = Float64Array.from(parametersOf(transform)[place.stage][place.group]);
  values[place.k] += t;
  const moved = { [place.group]: values };
  const whole: Transform | SideBySide = transform;
  const own: readonly Stage[] = whole.kind === "side-by-side" ? whole.stages : stagesOf(whole);
  const stages = own.map((stage, index) =>
    index === place.stage ? trusted<Stage>({ ...stage, ...moved }) : stage,
  );
  if (whole.kind === "cascade") return trusted<Cascade>({ ...whole, stages }) as T;
  if (whole.kind !== "side-by-side") return stages[0] as T;
  // The weights come after the stages.
  const all: SideBySide = { ...whole, stages, ...(place.stage === stages.length && moved) };
  return all as T;
}

/** Returns ∂f/∂θ of every stage and group, for a scalar function of the transform. */
export async function parameterGradients<T extends Transform | SideBySide>(
  transform: T,
  f: (moved: T) => Promise<number>,
): Promise<Record<string, Float64Array>[]> {
  const gradients: Record<string, Float64Array>[] = [];
  for (const [stage, groups] of parametersOf(transform).entries()) {
    const ofStage: Record<string, Float64Array> = {};
    for (const [group, values] of Object.entries(groups)) {
      ofStage[group] = new Float64Array(values.length);
      for (let k = 0; k < values.length; k += 1) {
        const at = async (t: number) =>
          Float64Array.of(await f(withMovedParameter(transform, { stage, group, k }, t)));
        [ofStage[group][k]] = await derivatives(at);
      }
    }
    gradients.push(ofStage);
  }
  return gradients;
}

/**
 * Returns the first `count` samples with all |z_i| > 0.05 in every GDN: closer to 0, |z|^α bends
 * too sharply for central differences.
 */
export async function smoothOf(
  transform: Transform,
  x: Float64Array,
  count: number,
): Promise<Float64Array> {
  const n = transform.dimension;
  const isSmooth = new Array<boolean>(x.length / n).fill(true);
  let values: FloatArray = x;
  for (const stage of stagesOf(transform)) {
    const z = stage.kind === "gdn" && stage.H ? multiplied(stage.H, values, n) : values;
    z.forEach((value, k) => {
      if (stage.kind === "gdn" && Math.abs(value) <= 0.05) isSmooth[Math.floor(k / n)] = false;
    });
    values = (await gaussianize(referenceRunner, stage, values)).y;
  }
  const chosen = [...isSmooth.keys()].filter((s) => isSmooth[s]).slice(0, count);
  if (chosen.length < count) throw new Error(`only ${chosen.length} samples are smooth`);
  return Float64Array.from(chosen.flatMap((s) => [...x.subarray(s * n, (s + 1) * n)]));
}

function multiplied(H: FloatArray, x: FloatArray, n: number): Float64Array {
  return Float64Array.from(x, (_, k) => {
    const [s, i] = [Math.floor(k / n), k % n];
    let sum = 0;
    for (let j = 0; j < n; j += 1) sum += H[i * n + j] * x[s * n + j];
    return sum;
  });
}
