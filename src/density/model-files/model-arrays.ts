/**
 * A model as full arrays for other programs: α and γ of a GDN are N×N matrices, β and ε have N
 * values, whatever its structure, so that paper eq. (5) takes two lines of numpy:
 *
 *   D = beta + (gamma * np.abs(H @ x)[None, :] ** alpha).sum(1)
 *   y = (H @ x) / D ** epsilon
 */
import type { FloatArray } from "../../kernels/kernels.js";
import { pooledWeights, spreadOverEntries } from "../../transforms/gdn-structures.js";
import type { ImageStage } from "../../transforms/image-cascade.js";
import { describeModel, fileKind, soundStages, weightsOf } from "./model-file.js";
import type { AnyModel } from "./model.js";
import type { NpyArray } from "./npz.js";
import type { Tensor } from "./safetensors.js";
import { stageTensors, tensorName } from "./stage-tensors.js";

/**
 * Returns arrays by the names of tensors in a model file; `metadata` is the rest as JSON text.
 *
 * @example
 * ```js
 * import { linear } from "gaussianize";
 * import { modelArrays } from "gaussianize/density";
 *
 * const transform = linear({ dimension: 2, H: [1, 0.5, 0, 1] });
 * console.log(Object.keys(modelArrays({ transform, about: {} })).join(" ")); // stages.0.H metadata
 * ```
 */
export function modelArrays(model: AnyModel): Record<string, NpyArray> {
  const metadata = JSON.stringify({ ...fileKind, ...describeModel(model) });
  const tensors = [...soundStages(model).flatMap(fullTensors), ...weightsOf(model)];
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
    // A low-rank γ is a sum of products, which Float32 cannot hold exactly.
    gamma:
      stage.structure === "low-rank"
        ? pooledWeights(stage)
        : inPrecisionOf(beta, pooledWeights(stage)),
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

/** Returns a matrix of equal rows: α_ij = α_j. */
function matrixOfRows(row: FloatArray): FloatArray {
  return squareLike(row).map((_, k) => row[k % row.length]);
}

/** Returns N×N zeros in the precision of N values. */
function squareLike(values: FloatArray): FloatArray {
  const length = values.length * values.length;
  return values instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
}
