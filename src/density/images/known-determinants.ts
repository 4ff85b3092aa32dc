/** Log-determinants of convolutions that were computed before: they are the same for all images of one size. */
import { GaussianizeError } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { Convolution } from "../../transforms/convolution.js";
import { convolutionDeterminant } from "../../transforms/convolutions/determinant.js";
import type { GridSize } from "../../transforms/field.js";

interface Known extends GridSize {
  /** A copy: an optimiser may change weights in place. */
  readonly weights: FloatArray;
  readonly logDeterminant: number;
}

/** The last one of each record. */
const known = new WeakMap<Convolution, Known>();

/** log |det| on fields of the given size, exact; throws where the convolution is singular. */
export function logDeterminantOn(convolution: Convolution, { width, height }: GridSize): number {
  const { weights } = convolution;
  const last = known.get(convolution);
  const isSameSize = last?.width === width && last.height === height;
  if (isSameSize && last.weights.every((value, k) => value === weights[k])) {
    return last.logDeterminant;
  }
  const { logDeterminant } = convolutionDeterminant(convolution, { width, height });
  if (!Number.isFinite(logDeterminant)) {
    throw new GaussianizeError(
      `Expected the convolution to be invertible on ${width}×${height} locations but it loses a frequency.`,
    );
  }
  known.set(convolution, { width, height, weights: weights.slice(), logDeterminant });
  return logDeterminant;
}
