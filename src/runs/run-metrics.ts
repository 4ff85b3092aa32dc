/** The lines of metrics.jsonl, which `gaussianize fit` writes. */

/** Log-likelihood in nats, and ΔJ in nats per dimension. */
export interface Figures {
  readonly meanLogProb: number;
  readonly negentropyDifferencePerDimension: number;
}

/** Means over the steps since the last record, or the figures of a validation. */
export interface MetricsRecord extends Figures {
  readonly step: number;
  readonly isHeldOut: boolean;
  /** Time since the start of the fit; not recorded for validations. */
  readonly seconds?: number;
}

/** Approximate number of records of a fit. */
const recordsOfFit = 200;

/** Returns the number of steps per record. */
export function stepsOfRecord(steps: number): number {
  return Math.ceil(steps / recordsOfFit);
}

/** Averages the figures of steps until they are taken as a record. */
export class MeanFigures {
  steps = 0;
  private sums = { meanLogProb: 0, difference: 0 };

  add({ meanLogProb, negentropyDifferencePerDimension: difference }: Figures): void {
    this.steps++;
    this.sums.meanLogProb += meanLogProb;
    this.sums.difference += difference;
  }

  /** Returns the means and resets them. */
  take(): Figures {
    const { steps, sums } = this;
    this.steps = 0;
    this.sums = { meanLogProb: 0, difference: 0 };
    return {
      meanLogProb: sums.meanLogProb / steps,
      negentropyDifferencePerDimension: sums.difference / steps,
    };
  }
}

/** Parses complete lines, and skips those that are not records. */
export function parseMetrics(text: string): MetricsRecord[] {
  return text.split("\n").flatMap((line) => recordOf(line) ?? []);
}

function recordOf(line: string): MetricsRecord | undefined {
  // Records are short; a damaged file may be one long line.
  if (line === "" || line.length > 10_000) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { step, seconds, heldOut } = value;
  const figures = figuresOf(isRecord(heldOut) ? heldOut : value);
  if (!figures || !isCount(step)) return undefined;
  const time = isFiniteNumber(seconds) && seconds >= 0 ? { seconds } : {};
  return { step, isHeldOut: isRecord(heldOut), ...figures, ...time };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Rejects infinity, which JSON reads from 1e999. */
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function figuresOf(value: Readonly<Record<string, unknown>>): Figures | undefined {
  const { meanLogProb, negentropyDifferencePerDimension } = value;
  if (!isFiniteNumber(meanLogProb)) return undefined;
  if (!isFiniteNumber(negentropyDifferencePerDimension)) return undefined;
  return { meanLogProb, negentropyDifferencePerDimension };
}
