/** Verifies the transforms of a mixture one by one, and joins their reports. */
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import { stagesOf } from "../../transforms/cascade.js";
import { checkBatch } from "../../transforms/checks.js";
import { type BatchOptions, checkCall } from "../batch-passes.js";
import { type Verification, verifyPart } from "../verification/verify.js";
import { transformsOf } from "./leaves.js";
import { type AnyMixture, requireMixture } from "./mixture.js";
import { mixtureLogProbOrNaN, partOf } from "./mixture-passes.js";

/** The report of one transform of a mixture. */
export interface ComponentVerification extends Verification {
  /** Its place in the mixture: "component 1". Empty for the only transform. */
  readonly name: string;
}

/**
 * The joint report: `invertible` and `certified` hold for all transforms, certificates and
 * eigenvalues are the worst, and `stages` lists those of all transforms. `failedSamples` counts the
 * samples without a density under every component and pose.
 */
export interface MixtureVerification extends Verification {
  readonly components: readonly ComponentVerification[];
}

/**
 * Verifies each transform of a mixture once; stages are numbered as in the model file. A mixture is
 * a density if all of them are invertible. The Jacobians are those at the samples x as given, not
 * at their other poses.
 */
export async function verifyMixture(
  runner: TaskRunner,
  given: AnyMixture,
  x: FloatArray | null,
  options?: BatchOptions,
): Promise<MixtureVerification> {
  checkCall(runner, options);
  const mixture = requireMixture(given);
  const samples = x ? checkBatch(x, mixture.dimension) : 0;
  const parts = transformsOf(mixture);
  const components: ComponentVerification[] = [];
  let first = 0;
  for (const [k, { name, transform }] of parts.entries()) {
    const watch = partOf(options, k, parts.length + 1);
    components.push({ name, ...(await verifyPart(runner, transform, x, first, watch)) });
    first += stagesOf(transform).length;
  }
  const signal = options?.signal;
  const logProb = x ? await mixtureLogProbOrNaN(runner, mixture, x, { signal }) : [];
  if (x) options?.onProgress?.(samples, samples);
  return joined(components, samples, [...logProb].filter(Number.isNaN).length);
}

function joined(
  components: readonly ComponentVerification[],
  samples: number,
  failedSamples: number,
): MixtureVerification {
  const invertible = components.every((component) => component.invertible);
  return {
    certificate: extremeOf(components, "certificate", Math.max),
    certified: components.every(({ certified }) => certified),
    cycleMean: extremeOf(components, "cycleMean", Math.max),
    invertible,
    samples,
    failedSamples,
    indefiniteSamples: Math.max(...components.map((each) => each.indefiniteSamples)),
    outsideSamples: Math.max(...components.map((each) => each.outsideSamples)),
    smallestPivot: extremeOf(components, "smallestPivot", Math.min),
    smallestEigenvalue: extremeOf(components, "smallestEigenvalue", Math.min),
    stages: components.flatMap(({ stages }) => stages),
    proven: [summaryOf(components), ...sentencesOf(components, "proven")],
    observed: [
      ...sentencesOf(components, "observed"),
      ...(failedSamples > 0
        ? [`Observed: no component has a density at ${failedSamples} of ${samples} samples.`]
        : []),
    ],
    notes: sentencesOf(components, "notes"),
    components,
  };
}

type Figure = "certificate" | "cycleMean" | "smallestPivot" | "smallestEigenvalue";

function extremeOf(
  components: readonly Verification[],
  figure: Figure,
  extreme: (...values: number[]) => number,
): number | null {
  const known = components.map((each) => each[figure]).filter((value) => value !== null);
  return known.length > 0 ? extreme(...known) : null;
}

function summaryOf(components: readonly ComponentVerification[]): string {
  const count = components.length;
  const bad = components.filter(({ invertible }) => !invertible).length;
  if (bad > 0) {
    return `Disproven: ${bad} of the ${count} transforms of the mixture ${bad === 1 ? "is" : "are"} not invertible, so the mixture is no density.`;
  }
  return count === 1
    ? "Proven: the transform of the mixture is invertible everywhere, so the mixture is a density."
    : `Proven: all ${count} transforms of the mixture are invertible everywhere, so the mixture is a density.`;
}

/** Puts the name of the component after the first word: "Proven, component 1: …". */
function sentencesOf(
  components: readonly ComponentVerification[],
  kind: "proven" | "observed" | "notes",
): string[] {
  return components.flatMap((component) =>
    component[kind].map((sentence) =>
      component.name === "" ? sentence : sentence.replace(":", `, ${component.name}:`),
    ),
  );
}
