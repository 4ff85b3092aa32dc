import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { describeKernelsContract } from "../../contracts/kernels-contract.js";

describeKernelsContract("reference", () => Promise.resolve(referenceKernels), {
  epsilon: Number.EPSILON,
});
