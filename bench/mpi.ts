/** Two ranks of one fit against two processes that fit by themselves, with the same work each; and what the cost model needs to know. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type CostConstants, predictedStep } from "./cost-model.js";
import { median } from "./measure.js";
import { measuredCosts } from "./measured-costs.js";

const program = fileURLToPath(new URL("./mpi-rank.js", import.meta.url));
const dimension = 256;
const batch = 256;
/** A rank that waits lets others have its core: on an idle machine that changes nothing. */
const mpirun = [
  ...["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
  ...["--mca", "mpi_yield_when_idle", "1"],
];
const onTwo = [...mpirun, "-n", "2"];
/** Of H and γ, α, β and ε. */
const floatsOfSums = 2 * dimension ** 2 + 3 * dimension;

export interface MpiFigures {
  /** Median over the repetitions of ranks / processes, which ran one after the other; of each the best second of a fit. */
  readonly fractionOfIndependent: number;
  readonly fractions: readonly number[];
  readonly independentSamplesPerSecond: number;
  readonly ranksSamplesPerSecond: number;
  /** Of all sums of a gradient, by their number. */
  readonly exchanges: readonly { readonly floats: number; readonly milliseconds: number }[];
  readonly constants: MeasuredConstants;
  /** Seconds of a step of two ranks: from the constants, and by the clock in the best of the repetitions. */
  readonly predictedSeconds: number;
  readonly measuredSeconds: number;
}

/** Those of low rank are from another bench (low-rank.ts). */
type MeasuredConstants = Omit<CostConstants, `lowRank${string}`>;

/** What a process says of its steps. */
export interface StepTimes {
  /** When each of them ended, in seconds of a clock that all processes have. */
  readonly times: readonly number[];
  /** Of the processor, for a step, in this process: what else the machine does hardly changes it. */
  readonly cpuSeconds: number;
}

interface Exchange {
  readonly floats: number;
  readonly milliseconds: { readonly median: number; readonly best: number };
}

/** Null where there is no mpirun. */
export async function measureMpi(
  repetitions: number,
  steps: number,
  say: (text: string) => void,
): Promise<MpiFigures | null> {
  try {
    return await measured(repetitions, steps, say);
  } catch (error) {
    say(`MPI is left out: ${(error as Error).message}`);
    return null;
  }
}

async function measured(
  repetitions: number,
  steps: number,
  say: (text: string) => void,
): Promise<MpiFigures> {
  const joint: number[] = [];
  const together: number[] = [];
  for (let k = 0; k < repetitions; k++) {
    say(`two processes against two ranks, N = ${dimension}, ${k + 1} of ${repetitions}`);
    const both = await Promise.all([0, 1].map(() => alone(dimension, batch / 2, steps)));
    joint.push((batch / 2) * bestStepRate(both.map(({ times }) => times)));
    const ranks = await figuresOf<StepTimes>(onTwo, ["rank", dimension, batch, steps]);
    together.push(batch * bestStepRate([ranks.times]));
  }
  const fractions = together.map((rate, k) => rate / joint[k]);
  say("exchanges alone");
  const exchanges: Exchange[] = [];
  for (const floats of [1, 16_384, floatsOfSums, 197_120, 1_051_648]) {
    exchanges.push(await figuresOf<Exchange>(onTwo, ["exchange", floats]));
  }
  say("steps of one process");
  const constants = await constantsOf(exchanges, steps);
  return {
    fractionOfIndependent: median(fractions),
    fractions,
    independentSamplesPerSecond: median(joint),
    ranksSamplesPerSecond: median(together),
    exchanges: exchanges.map(({ floats, milliseconds: { median: milliseconds } }) => ({
      floats,
      milliseconds,
    })),
    constants,
    predictedSeconds: predictedStep(
      { ...measuredCosts, ...constants },
      {
        ...{ dimension, batch, ranks: 2, threads: 1 },
        ...{ latencyInSeconds: constants.latencyHere, bytesPerSecond: constants.bandwidthHere },
      },
    ).seconds,
    measuredSeconds: batch / Math.max(...together),
  };
}

/** Seconds over which a rate is taken: some steps, and short enough to find one in which nothing else happens. */
const span = 1;

/**
 * Steps by second of all processes together, in the best second in which all of them are at work. (The best seconds of each would
 * also be those in which another has not begun, or is done, and leaves more of the machine to it.)
 */
export function bestStepRate(processes: readonly (readonly number[])[]): number {
  const begin = Math.max(...processes.map((times) => times[0]));
  const end = Math.min(...processes.map((times) => times[times.length - 1]));
  const rateAt = (start: number): number => {
    const finish = Math.min(start + span, end);
    const steps = processes.map((times) => stepsUntil(times, finish) - stepsUntil(times, start));
    return steps.reduce((sum, count) => sum + count, 0) / (finish - start);
  };
  const starts = processes.flat().filter((time) => time >= begin && time + span <= end);
  if (end <= begin) throw new Error("the processes were never at work together");
  return Math.max(...(starts.length > 0 ? starts : [begin]).map(rateAt));
}

/** With the part of the step that is under way then. */
function stepsUntil(times: readonly number[], moment: number): number {
  const next = times.findIndex((time) => time > moment);
  if (next < 0) return times.length - 1;
  if (next === 0) return 0;
  return next - 1 + (moment - times[next - 1]) / (times[next] - times[next - 1]);
}

/** From steps of two batches and two sizes, of one process: t = serial + samples × (a₂ N² + a₃ N³). */
async function constantsOf(
  exchanges: readonly Exchange[],
  steps: number,
): Promise<MeasuredConstants> {
  const timesOf = async (n: number): Promise<{ serial: number; sample: number }> => {
    const [small, large] = [64, 256];
    const a = (await alone(n, small, steps)).cpuSeconds;
    const b = (await alone(n, large, steps)).cpuSeconds;
    const sample = (b - a) / (large - small);
    return { serial: Math.max(0, a - small * sample), sample };
  };
  const [at64, at256] = [await timesOf(64), await timesOf(256)];
  // Two equations in a₂ and a₃.
  const cubic = (at256.sample / 256 ** 2 - at64.sample / 64 ** 2) / (256 - 64);
  const least = exchanges[0].milliseconds.best / 1000;
  const large = exchanges[exchanges.length - 1];
  return {
    secondsPerSampleAndSquare: Math.max(0, at64.sample / 64 ** 2 - 64 * cubic),
    secondsPerSampleAndCube: cubic,
    serialSecondsPerCube: at256.serial / 256 ** 3,
    latencyHere: least / 2,
    bandwidthHere: (4 * large.floats) / (large.milliseconds.best / 1000 - least),
  };
}

function alone(n: number, samples: number, steps: number): Promise<StepTimes> {
  return figuresOf([], ["alone", n, samples, steps]);
}

/** Runs the program, and reads what it says. */
function figuresOf<Figures>(
  launcher: readonly string[],
  words: readonly (string | number)[],
): Promise<Figures> {
  const [command, ...flags] = [...launcher, process.execPath, program, ...words.map(String)];
  return new Promise((resolve, reject) => {
    const child = spawn(command, flags, { stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => (stdout += String(text)));
    child.stderr.on("data", (text) => (stderr += String(text)));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(stdout) as Figures);
      else reject(new Error(`${command} ended with ${code}: ${stderr.split("\n")[0]}`));
    });
  });
}
