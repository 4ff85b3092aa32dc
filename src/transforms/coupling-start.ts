/** Couplings to start a fit from: the identity, with random hidden units. */
import type { FloatArray } from "../kernels/kernels.js";
import { createRandom } from "../random/random-stream.js";
import { type Coupling, type CouplingShape, coupling, couplingLengths } from "./coupling.js";

/**
 * Returns a coupling that is the identity, because its output weights are 0. The other weights are
 * normal with variance 1 over the number of inputs, so that the units see different combinations.
 * `number` selects other random weights. They do not depend on the seed of a fit.
 */
export function startingCoupling(shape: CouplingShape, number = 0): Coupling {
  const lengths = couplingLengths(shape);
  const random = createRandom("coupling", shape.given, number);
  const zeros = (length: number): FloatArray => new Float32Array(length);
  const normals = (length: number): FloatArray => {
    const deviation = Math.sqrt(shape.hidden / length);
    const values = random.normalFill(new Float64Array(length));
    return Float32Array.from(values, (value) => deviation * value);
  };
  return coupling({
    ...shape,
    inputWeights: normals(lengths.inputWeights),
    inputBias: zeros(lengths.inputBias),
    hiddenWeights: normals(lengths.hiddenWeights),
    hiddenBias: zeros(lengths.hiddenBias),
    outputWeights: zeros(lengths.outputWeights),
    outputBias: zeros(lengths.outputBias),
  });
}
