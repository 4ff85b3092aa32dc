/** The result of a verification in words. */
import { kindOf } from "../../transforms/stage-kinds.js";
import type { Stage } from "../../transforms/transform.js";
import { type Certificate, isBelowOne } from "./certificate.js";
import type { Extreme, Observation } from "./job.js";

type Certificates = readonly (Certificate | null)[];

/** Returns a sentence on a whole model, unless the sentence of its only stage says the same. */
export function verdictSentences(certificates: Certificates): string[] {
  if (certificates.length < 2) return [];
  const known = certificates.filter((certificate) => certificate !== null);
  const has = (verdict: Certificate["verdict"]): boolean =>
    known.some((certificate) => certificate.verdict === verdict);
  if (has("not invertible")) {
    return ["Disproven: the model is not invertible, and what it induces is no density."];
  }
  if (has("not onto")) {
    return [
      "Proven: the model is one-to-one but not onto: what it induces integrates to less than 1.",
    ];
  }
  const mean = Math.max(...known.map(({ critical }) => critical.mean));
  const reason = known.length > 0 ? ` (cycle mean μ = ${short(mean)} < 1)` : "";
  return [`Proven: the model is invertible everywhere${reason}.`];
}

/** Returns a sentence per stage; `first` is the index of the first in a longer cascade, or null. */
export function provenSentences(
  stages: readonly Stage[],
  certificates: Certificates,
  first: number | null,
): string[] {
  return stages.map((stage, k) => {
    const name = nameOf(stages, k, first);
    const reason = kindOf(stage).invertibleBecause;
    if (reason !== null) return `Proven: ${name} is invertible: ${reason}.`;
    const certificate = certificates[k] as Certificate;
    switch (certificate.verdict) {
      case "invertible":
        return `Proven: ${name} is invertible everywhere: ${reasonOf(certificate)}.`;
      case "not onto":
        return `Proven: ${name} is one-to-one but not onto: ${boundOf(certificate, stage.dimension)}, so what it induces integrates to less than 1.`;
      case "not invertible":
        return `Disproven: ${name} is not invertible: ${cycleOf(certificate)}, so some y have two preimages and others none, and what it induces is no density.`;
    }
  });
}

function reasonOf({ q, critical }: Certificate): string {
  if (isBelowOne(q)) {
    return `q = ${short(q)} < 1 (the fixed-point inversion contracts at the rate q or better, ‖(I − M)⁻¹‖∞ ≤ ${short(1 / (1 - q))})`;
  }
  const unneeded = `q = ${short(q)} ≥ 1 does not matter: q < 1 is sufficient, not necessary`;
  if (critical.cycle.length === 0) return `there is no cycle of pooling (${unneeded})`;
  const meaning = "the geometric mean of α_ij ε_i is at most μ along every cycle of pooling";
  return `cycle mean μ = ${short(critical.mean)} < 1 (${meaning}; ${unneeded})`;
}

/** Says why |y_i| is bounded. */
function boundOf(certificate: Certificate, dimension: number): string {
  const { bounded } = certificate;
  if (bounded.length === 0) return cycleOf(certificate);
  const lowest = bounded.reduce((best, other) => (other.bound < best.bound ? other : best));
  const where = `${thousands(bounded.length)} of ${thousands(dimension)} components`;
  const example = `${short(lowest.bound)} at component ${lowest.component}`;
  return `α_ii ε_i = 1 (to the rounding of Float32) with γ_ii > 0 keeps |y_i| below γ_ii^−ε_i in ${where} (${example})`;
}

function cycleOf({ critical: { mean, cycle } }: Certificate): string {
  const path = [...cycle, cycle[0]].join(" → ");
  const relation = mean > 1 ? "> 1" : "(1 to the rounding of Float32)";
  return `along the cycle of pooling ${path} the geometric mean of α_ij ε_i is ${short(mean)} ${relation}`;
}

/** Returns sentences on the samples; none without samples or without a GDN. */
export function observedSentences(
  stages: readonly Stage[],
  certificates: Certificates,
  ofStages: readonly Observation[],
  total: Observation,
  samples: number,
  first: number | null,
): string[] {
  const sentences: string[] = [];
  const { smallestPivot, smallestEigenvalue, outsideSamples } = total;
  if (outsideSamples > 0) {
    const share = shareOf(outsideSamples, samples);
    sentences.push(
      `Observed: ${share} lie outside the domain of a stage or beyond the range of Float64, and were skipped in later stages.`,
    );
  }
  if (!smallestPivot || !smallestEigenvalue) return sentences;
  if (total.failedSamples === 0) {
    const definite = `the symmetrised Jacobian is positive definite (smallest eigenvalue ${short(smallestEigenvalue.value)})`;
    const both = total.indefiniteSamples === 0 ? ` and ${definite}` : "";
    sentences.push(
      `Observed over ${thousands(total.lookedAt)} samples: every pivot of I − M is positive (smallest ${short(smallestPivot.value)})${both}.`,
    );
  }
  ofStages.forEach((observation, k) => {
    const name = nameOf(stages, k, first);
    sentences.push(...failureOf(observation, name, samples, isOneToOne(certificates[k])));
  });
  return sentences;
}

function isOneToOne(certificate: Certificate | null): boolean {
  return certificate?.verdict !== "not invertible";
}

function failureOf(
  { smallestPivot, failedSamples, ...observation }: Observation,
  name: string,
  samples: number,
  isProven: boolean,
): string[] {
  const sentences: string[] = [];
  if (failedSamples > 0 && smallestPivot) {
    const meaning = isProven
      ? "only by rounding, but no density can be computed there"
      : "the determinant may have changed its sign, the model is not invertible and its density is not valid there";
    sentences.push(
      `Observed: a pivot of I − M is not positive at ${shareOf(failedSamples, samples)} in ${name} (${worst("smallest", smallestPivot)}): ${meaning}.`,
    );
  }
  const indefinite = isProven ? undefined : indefiniteAt(observation, name, samples);
  if (indefinite)
    sentences.push(`Observed: the symmetrised Jacobian is not positive definite at ${indefinite}.`);
  return sentences;
}

/** Notes that the paper's condition fails in a stage that is proven one-to-one. */
export function noteSentences(
  stages: readonly Stage[],
  certificates: Certificates,
  ofStages: readonly Observation[],
  samples: number,
  first: number | null,
): string[] {
  return ofStages.flatMap((observation, k) => {
    const where = indefiniteAt(observation, nameOf(stages, k, first), samples);
    if (where === undefined || !isOneToOne(certificates[k])) return [];
    return `Note: the paper's sufficient condition, a positive definite Jacobian, fails at ${where}; it is not needed.`;
  });
}

function indefiniteAt(
  { indefiniteSamples, smallestEigenvalue }: Omit<Observation, "smallestPivot" | "failedSamples">,
  name: string,
  samples: number,
): string | undefined {
  if (indefiniteSamples === 0 || !smallestEigenvalue) return undefined;
  return `${shareOf(indefiniteSamples, samples)} in ${name} (${worst("smallest eigenvalue", smallestEigenvalue)})`;
}

function worst(what: string, { value, sample }: Extreme): string {
  return `${what} ${short(value)}, at sample ${sample}`;
}

/** Returns the name of a stage, counted from 0 as in errors. */
function nameOf(stages: readonly Stage[], k: number, first: number | null): string {
  const stage = stages[k];
  const kind = stage.kind === "gdn" ? `gdn, ${stage.structure}` : stage.kind;
  const isAlone = first === null && stages.length === 1;
  return isAlone ? `the transform (${kind})` : `stage ${(first ?? 0) + k} (${kind})`;
}

function shareOf(part: number, samples: number): string {
  return `${thousands(part)} of ${thousands(samples)} samples`;
}

export function thousands(value: number): string {
  return value.toLocaleString("en-US");
}

/** Formats a number with three digits, or enough to keep it on its side of 1. */
export function short(value: number): string {
  let text = "";
  for (let digits = 3; digits <= 17; digits++) {
    const rounded = Number(value.toPrecision(digits));
    text = rounded.toString().replace("-", "−");
    if (Math.sign(rounded - 1) === Math.sign(value - 1)) break;
  }
  return text;
}
