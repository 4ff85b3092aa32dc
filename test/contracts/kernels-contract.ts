/** Contract of every implementation of the kernels, whatever its precision. */
import { beforeAll, describe } from "vitest";
import type { KernelName, Kernels } from "../../src/kernels/kernels.js";
import { seed } from "../support/seed.js";
import { describeElementaryFunctions } from "./elementary-contract.js";
import { describeGdnAccuracy } from "./gdn-accuracy-contract.js";
import { describeGdnBatches } from "./gdn-batches-contract.js";
import { describeGdnFailures } from "./gdn-failures-contract.js";
import { describeGdnInverse } from "./gdn-inverse-contract.js";
import { describeGdnProbes } from "./gdn-probes-contract.js";
import { describeElimination } from "./elimination-contract.js";
import { describeGuidedFit } from "./guided-fit-contract.js";
import { describeGuidedPatches } from "./guided-contract.js";
import { describePatchEstimates } from "./patches-contract.js";
import type { KernelTolerances } from "./kernels-under-test.js";
import { describeNetworks } from "./network-contract.js";
import { describeMatrixProducts } from "./products-contract.js";
import { describeSimilarPatches } from "./similar-contract.js";

export function describeKernelsContract(
  name: KernelName,
  loader: () => Promise<Kernels>,
  tolerances: KernelTolerances,
): void {
  describe(`${name} kernels, seed ${seed}`, () => {
    let loaded: Kernels | undefined;
    beforeAll(async () => {
      loaded = await loader();
    });
    const subject = { name, ...tolerances, kernels: () => loaded as Kernels };
    describeElementaryFunctions(subject);
    describeMatrixProducts(subject);
    describeElimination(subject);
    describeNetworks(subject);
    describeSimilarPatches(subject);
    describeGuidedPatches(subject);
    describeGuidedFit(subject);
    describePatchEstimates(subject);
    // Not for the specification, which finite differences and test/fixtures/gdn.json check.
    if (name !== "reference") {
      describeGdnAccuracy(subject);
      describeGdnProbes(subject);
    }
    describeGdnBatches(subject);
    describeGdnFailures(subject);
    describeGdnInverse(subject);
  });
}
