/** y = s x + b with scales of both signs, from 0.1 to 10. */
import { describeTransformContract } from "../contracts/transform-contract.js";
import { affineCase } from "../support/transform-cases.js";

describeTransformContract("affine", () => [affineCase(1), affineCase(5)]);
