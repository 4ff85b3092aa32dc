/** y = H x for several kinds of matrices. */
import { pcaWhitening, zcaWhitening } from "../../src/transforms/whitening.js";
import { describeTransformContract } from "../contracts/transform-contract.js";
import { linearCase, mixing, normals, randomOf } from "../support/transform-cases.js";

/** Samples whose components have different variances and are correlated. */
function correlated(n: number): Float64Array {
  const random = randomOf("correlated", n);
  const mixed = normals(random, 400 * n);
  for (let k = 0; k < mixed.length; k += 1) {
    const before = k % n === 0 ? 0 : mixed[k - 1];
    mixed[k] = (1 + (k % n)) * mixed[k] + 0.6 * before;
  }
  return mixed;
}

describeTransformContract("linear", () => [
  linearCase("near the identity", 5, mixing(randomOf("H"), 5)),
  linearCase("of one component, negative", 1, [-2.5]),
  // No pivot on the diagonal: the inverse must exchange rows.
  linearCase(
    "a permutation with signs and scales",
    4,
    [0, 0, -3, 0, 0.5, 0, 0, 0, 0, 0, 0, 8, 0, -1, 0, 0],
  ),
  linearCase("ZCA whitening", 5, zcaWhitening(correlated(5), 5)),
  linearCase("PCA whitening", 5, pcaWhitening(correlated(5), 5)),
]);
