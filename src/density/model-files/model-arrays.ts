/**
 * A model written out in full, for other programs: of a GDN layer α and γ as N×N matrices, β and ε
 * as N values, whatever its structure, so that paper eq. (5) is two lines of numpy:
 *
 *   D = beta + (gamma * np.abs(H @ x)[None, :] ** alpha).sum(1)
 *   y = (H @ x) / D ** epsilon
 */
import type { FloatArray } from "../../kernels/kernels.js";
import { pooledWeights, spreadOverEntries } from "../../transforms/gdn-structures.js";
import type { ImageStage } from "../../transforms/image-cascade.js";
import { describeModel, fileKind, soundStages } from "./model-file.js";
import type { AnyModel } from "./model.js";
import type { NpyArray } from "./npz.js";
import type { Tensor } from "./safetensors.js";
import { stageTensors, tensorName } from "./stage-tensors.js";

/** By the names of the model file's tensors; `metadata` is all the rest as one JSON text. */
export function modelArrays(model: AnyModel): Record<string, NpyArray> {
  const metadata = JSON.stringify({ ...fileKind, ...describeModel(model) });
  const tensors = soundStages(model).flatMap(fullTensors);
  const arrays = tensors.map(({ name, shape, values }) => [name, { shape, values }] as const);
  return { ...Object.fromEntries(arrays), metadata };
}

function fullTensors(stage: ImageStage, index: number): readonly Tensor[] {
  if (stage.kind !== "gdn") return stageTensors(stage, index);
  const n = stage.dimension;
  const { form, H, alpha, beta, epsilon } = spreadOverEntries(stage);
  const ones = beta.map(() => 1);
  const matrices = {
    H: H ?? diagonalMatrix(ones),
    alpha: form === "general" ? alpha : matrixOfRows(alpha),
    // Of low rank, γ is a sum of products, and no Float32 any more.
    gamma: form === "low-rank" ? pooledWeights(stage) : inPrecisionOf(beta, pooledWeights(stage)),
  };
  const tensorsOf = (groups: Record<string, FloatArray>, shape: readonly number[]): Tensor[] =>
    Object.entries(groups).map(([group, values]) => ({
      name: tensorName(index, group),
      shape,
      values,
    }));
  return [...tensorsOf(matrices, [n, n]), ...tensorsOf({ beta, epsilon }, [n])];
}

function diagonalMatrix(values: FloatArray): FloatArray {
  const n = values.length;
  return squareLike(values).map((_, k) => (k % (n + 1) === 0 ? values[k % n] : 0));
}

function inPrecisionOf(values: FloatArray, matrix: Float64Array): FloatArray {
  return values instanceof Float32Array ? Float32Array.from(matrix) : matrix;
}

/** Every row is the same: α_ij = α_j. */
function matrixOfRows(row: FloatArray): FloatArray {
  return squareLike(row).map((_, k) => row[k % row.length]);
}

/** N×N zeros in the precision of N values. */
function squareLike(values: FloatArray): FloatArray {
  const length = values.length * values.length;
  return values instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
}
