/**
 * An independent check of log |det ∂y/∂x| for small images: the dense Jacobian by central
 * differences of two steps in Float64, then elimination with row pivoting.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import { loadKernels } from "../../kernels/load-kernels.js";
import { portableLog } from "../../numbers/logarithm.js";
import { InlineRunner } from "../../parallel/inline-runner.js";
import type { ImageCascade } from "../../transforms/image-cascade.js";
import { gaussianizeImage } from "../images/image-density.js";

/** Most pixels: each costs four passes, and the elimination N³/3 products. */
export const mostDensePixels = 600;
/** Step of the differences: small for pixels from 0 to 1, large for the rounding of Float64. */
const step = 1e-5;

export interface DeterminantCheck {
  readonly width: number;
  readonly height: number;
  /** Log-determinant as the library computes it, in Float64. */
  readonly logDeterminant: number;
  /** Log-determinant by central differences. */
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
  const image = { width, height, pixels: values };
  const pass = () => gaussianizeImage(runner, cascade, image, { signal });
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
    // Cancels the errors of second order.
    columns.push(half.map((d, j) => (4 * d - whole[j]) / 3));
    values[k] = value;
  }
  await runner.close();
  return { width, height, logDeterminant, byDifferences: logAbsDeterminant(columns) };
}

/** Eliminates with row pivoting, in place. */
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
