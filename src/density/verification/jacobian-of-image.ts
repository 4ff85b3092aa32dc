/**
 * log |det ∂y/∂x| of a small image by another way than the library's own: the dense Jacobian by
 * central differences of two steps in Float64, then elimination with row pivoting. It knows nothing
 * of Fourier transforms or of triangular factors of stages.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import { loadKernels } from "../../kernels/load-kernels.js";
import { portableLog } from "../../numbers/logarithm.js";
import { InlineRunner } from "../../parallel/inline-runner.js";
import type { ImageCascade } from "../../transforms/image-cascade.js";
import { gaussianizeImage } from "../images/image-density.js";

/** Each pixel costs four passes, and the elimination N³/3 products. */
export const mostDensePixels = 600;
/** Small against pixels from 0 to 1, far above the rounding of Float64. */
const step = 1e-5;

export interface DeterminantCheck {
  readonly width: number;
  readonly height: number;
  /** As the library computes it, in Float64. */
  readonly logDeterminant: number;
  /** By differences. */
  readonly byDifferences: number;
}

export async function checkDeterminant(
  cascade: ImageCascade,
  { width, height, pixels }: GreyPixels,
  signal?: AbortSignal,
): Promise<DeterminantCheck> {
  const { kernels } = await loadKernels({ kernels: "reference" });
  const runner = new InlineRunner(kernels);
  const values = Float64Array.from(pixels);
  const options = signal && { signal };
  const pass = () => gaussianizeImage(runner, cascade, { width, height, pixels: values }, options);
  const { logDeterminant } = await pass();
  const columns: Float64Array[] = [];
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    const slope = async (h: number): Promise<Float64Array> => {
      values[k] = value + h;
      const after = (await pass()).y.values;
      values[k] = value - h;
      const before = (await pass()).y.values;
      return Float64Array.from(after, (y, j) => (y - before[j]) / (2 * h));
    };
    const [whole, half] = [await slope(step), await slope(step / 2)];
    // The errors of second order cancel.
    columns.push(half.map((d, j) => (4 * d - whole[j]) / 3));
    values[k] = value;
  }
  await runner.close();
  return { width, height, logDeterminant, byDifferences: logAbsDeterminant(columns) };
}

/** By elimination with row pivoting; the rows are used up. */
function logAbsDeterminant(rows: Float64Array[]): number {
  let sum = 0;
  for (let p = 0; p < rows.length; p++) {
    let best = p;
    for (let i = p + 1; i < rows.length; i++) {
      if (Math.abs(rows[i][p]) > Math.abs(rows[best][p])) best = i;
    }
    [rows[p], rows[best]] = [rows[best], rows[p]];
    const pivotRow = rows[p];
    sum += portableLog(Math.abs(pivotRow[p]));
    for (let i = p + 1; i < rows.length; i++) {
      const factor = rows[i][p] / pivotRow[p];
      for (let j = p; j < pivotRow.length; j++) rows[i][j] -= factor * pivotRow[j];
    }
  }
  return sum;
}
