/** Verifies the invertibility of a transform: what is proven, and what was only observed. */
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import { stagesOf } from "../../transforms/cascade.js";
import { checkBatch } from "../../transforms/checks.js";
import type { GdnStructure } from "../../transforms/gdn-structures.js";
import { requireChecked } from "../../transforms/checked-transform.js";
import type { Stage, Transform } from "../../transforms/transform.js";
import {
  type BatchOptions,
  type SampleRange,
  checkCall,
  operationsOf,
  runRanges,
} from "../batch-passes.js";
import { certificateOf, isBelowOne } from "./certificate.js";
import { type Observation, type VerifyTaskResult, summarize, verifyJob } from "./job.js";
import {
  noteSentences,
  observedSentences,
  provenSentences,
  verdictSentences,
} from "./sentences.js";

export interface Verification extends Pick<
  Observation,
  "failedSamples" | "indefiniteSamples" | "outsideSamples"
> {
  /** Largest q of any GDN stage; null without one. */
  readonly certificate: number | null;
  /** Whether q < 1 in every stage: proven invertible, and well-conditioned in log |z|. */
  readonly certified: boolean;
  /** Largest μ of any GDN stage (certificate.ts), at most q; null without one. */
  readonly cycleMean: number | null;
  /** Whether μ < 1 in every stage: proven invertible; otherwise proven not onto. */
  readonly invertible: boolean;
  readonly samples: number;
  /** Smallest pivot of I − M over all stages and samples; null without data. */
  readonly smallestPivot: number | null;
  /** Smallest eigenvalue of ½(J + Jᵀ) over all stages and samples; null without data. */
  readonly smallestEigenvalue: number | null;
  readonly stages: readonly StageVerification[];
  /** Proven facts in words: the model as a whole, then each stage. */
  readonly proven: readonly string[];
  readonly observed: readonly string[];
  /** Remarks that do not affect what is proven. */
  readonly notes: readonly string[];
}

export interface StageVerification extends Observation {
  readonly kind: Stage["kind"];
  /** Structure of a GDN; null for other stages, as are the next three. */
  readonly structure: GdnStructure | null;
  /** q */
  readonly certificate: number | null;
  /** μ */
  readonly cycleMean: number | null;
  /** Components along a cycle of pooling with mean μ. */
  readonly criticalCycle: readonly number[] | null;
}

/**
 * Reports what the parameters prove about invertibility, and with samples x (count×N) also what is
 * observed at each GDN stage.
 *
 * @example
 * ```js
 * import { InlineRunner, linear, loadKernels } from "gaussianize";
 * import { verify } from "gaussianize/density";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const shear = linear({ dimension: 2, H: [1, 0.5, 0, 1] });
 * const { invertible } = await verify(runner, shear, null);
 * console.log(invertible); // true
 * ```
 */
export async function verify(
  runner: TaskRunner,
  given: Transform,
  x: FloatArray | null,
  options?: BatchOptions,
): Promise<Verification> {
  checkCall(runner, options);
  return verifyPart(runner, requireChecked(given), x, null, options);
}

/** Verifies a checked part of a longer cascade, whose first stage has the index `first`. */
export async function verifyPart(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray | null,
  first: number | null,
  options?: BatchOptions,
): Promise<Verification> {
  const samples = x ? checkBatch(x, transform.dimension) : 0;
  const all = stagesOf(transform);
  const parts = x ? await lookAt(runner, all, x, options) : [];
  const certificates = all.map((stage) => (stage.kind === "gdn" ? certificateOf(stage) : null));
  const known = certificates.filter((certificate) => certificate !== null);
  const stages = all.map((stage, k): StageVerification => ({
    kind: stage.kind,
    structure: stage.kind === "gdn" ? stage.structure : null,
    certificate: certificates[k]?.q ?? null,
    cycleMean: certificates[k]?.critical.mean ?? null,
    criticalCycle: certificates[k]?.critical.cycle ?? null,
    ...summarize(parts, all.length, (stage) => stage === k),
  }));
  const total = summarize(parts, all.length, () => true);
  return {
    certificate: known.length > 0 ? Math.max(...known.map(({ q }) => q)) : null,
    certified: known.every(({ q }) => isBelowOne(q)),
    cycleMean: known.length > 0 ? Math.max(...known.map(({ critical }) => critical.mean)) : null,
    invertible: known.every(({ verdict }) => verdict === "invertible"),
    samples,
    ...total,
    smallestPivot: total.smallestPivot?.value ?? null,
    smallestEigenvalue: total.smallestEigenvalue?.value ?? null,
    stages,
    proven: [
      ...(first === null ? verdictSentences(certificates) : []),
      ...provenSentences(all, certificates, first),
    ],
    observed: observedSentences(all, certificates, stages, total, samples, first),
    notes: noteSentences(all, certificates, stages, samples, first),
  };
}

/** Operations per task, about 0.1 s. */
const operationsOfTask = 5e7;
const mostSamplesOfTask = 4096;

function lookAt(
  runner: TaskRunner,
  stages: readonly Stage[],
  x: FloatArray,
  options?: BatchOptions,
): Promise<VerifyTaskResult[]> {
  const n = stages[0].dimension;
  const count = x.length / n;
  const operations = stages.reduce((sum, stage) => sum + operationsOf(stage), 0);
  const most = Math.min(mostSamplesOfTask, Math.ceil(operationsOfTask / operations));
  const size = Math.max(1, Math.min(most, Math.ceil(count / runner.size)));
  const ranges = Array.from({ length: Math.ceil(count / size) }, (_, k) => ({
    first: k * size,
    end: Math.min((k + 1) * size, count),
  }));
  const taskOf = ({ first, end }: SampleRange) => {
    const task = { x: x.slice(first * n, end * n) };
    return { task, transfer: [task.x.buffer] };
  };
  return runRanges(runner, verifyJob, { stages }, ranges, taskOf, options);
}
