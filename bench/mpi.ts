/** Two ranks of one fit, two independent processes with the same work, and cost constants. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type CostConstants, predictedStep } from "./cost-model.js";
import { medianOf } from "../src/numbers/order-statistics.js";
import { measuredCosts } from "./measured-costs.js";

const program = fileURLToPath(new URL("./mpi-rank.js", import.meta.url));
const dimension = 256;
const batch = 256;
const onTwo = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"];
/** Gradients of H and γ, α, β and ε. */
const floatsOfSums = 2 * dimension ** 2 + 3 * dimension;

export interface MpiFigures {
  /** Median over the rounds of the rate of ranks / rate of processes. */
  readonly fractionOfIndependent: number;
  readonly fractions: readonly number[];
  /** Best rate of ranks / best rate of processes, with the least other load. */
  readonly fractionOfBest: number;
  /** The median fraction of processes that only wait for each other after each step. */
  readonly fractionInStep: number;
  readonly independentSamplesPerSecond: number;
  readonly ranksSamplesPerSecond: number;
  /** Times of exchanges by number of floats. */
  readonly exchanges: readonly { readonly floats: number; readonly milliseconds: number }[];
  readonly constants: MeasuredConstants;
  /** Seconds of a step of two ranks: predicted, median and best of the rounds. */
  readonly predictedSeconds: number;
  readonly measuredSeconds: number;
  readonly bestSeconds: number;
}

/** Constants of low rank come from low-rank.ts. */
type MeasuredConstants = Omit<CostConstants, `lowRank${string}`>;

/** Measurements of some steps by a process. */
export interface Steps {
  /** End of each step, in seconds of a clock that all processes share. */
  readonly times: readonly number[];
  /** Median CPU time of a step, which hardly depends on other load. */
  readonly cpuSeconds: number;
}

/** A round of a rank: steps of all ranks together, then as many by itself, as the others do. */
export interface Round {
  readonly together: Steps;
  readonly alone: Steps;
}

interface Exchange {
  readonly floats: number;
  readonly milliseconds: { readonly median: number; readonly best: number };
}

/** Measures all; null without mpirun. */
export async function measureMpi(
  rounds: number,
  steps: number,
  say: (text: string) => void,
): Promise<MpiFigures | null> {
  try {
    return await measured(rounds, steps, say);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    say("MPI was skipped: there is no mpirun (openmpi-bin on Debian and Ubuntu).");
    return null;
  }
}

async function measured(
  count: number,
  steps: number,
  say: (text: string) => void,
): Promise<MpiFigures> {
  say(`two ranks against two processes, N = ${dimension}, ${count} rounds`);
  const [one, other] = await figuresOf<Round[][]>(onTwo, ["rounds", dimension, batch, count]);
  const together = one.map((round) => batch * jointRate([round.together]));
  const joint = one.map((round, k) => (batch / 2) * jointRate([round.alone, other[k].alone]));
  const fractions = together.map((rate, k) => rate / joint[k]);
  const inStep = one.map((round, k) => batch * rateInStep([round.alone, other[k].alone]));
  say("exchanges alone");
  const exchanges: Exchange[] = [];
  for (const floats of [1, 16_384, floatsOfSums, 197_120, 1_051_648]) {
    exchanges.push(await figuresOf<Exchange>(onTwo, ["exchange", floats]));
  }
  say("steps of one process");
  const constants = await constantsOf(exchanges, steps);
  return {
    fractionOfIndependent: medianOf(fractions),
    fractions,
    fractionOfBest: Math.max(...together) / Math.max(...joint),
    fractionInStep: medianOf(inStep.map((rate, k) => rate / joint[k])),
    independentSamplesPerSecond: medianOf(joint),
    ranksSamplesPerSecond: medianOf(together),
    exchanges: exchanges.map(({ floats, milliseconds: { median: milliseconds } }) => ({
      floats,
      milliseconds,
    })),
    constants,
    predictedSeconds: predictedStep(
      { ...measuredCosts, ...constants },
      {
        dimension,
        batch,
        ranks: 2,
        threads: 1,
        latencyInSeconds: constants.latencyHere,
        bytesPerSecond: constants.bandwidthHere,
      },
    ).seconds,
    measuredSeconds: batch / medianOf(together),
    bestSeconds: batch / Math.max(...together),
  };
}

/** Steps per second of all processes, while all of them run: a single process would be faster. */
export function jointRate(processes: readonly Pick<Steps, "times">[]): number {
  const begin = Math.max(...processes.map(({ times }) => times[0]));
  const end = Math.min(...processes.map(({ times }) => times[times.length - 1]));
  if (end <= begin) throw new Error("the processes were never at work together");
  const steps = processes.map(({ times }) => stepsUntil(times, end) - stepsUntil(times, begin));
  return steps.reduce((sum, count) => sum + count, 0) / (end - begin);
}

/** Steps per second of processes that begin each step together: the slowest decides. */
export function rateInStep(processes: readonly Pick<Steps, "times">[]): number {
  const durations = processes.map(({ times }) => times.slice(1).map((time, k) => time - times[k]));
  const slowest = durations[0].map((_, k) => Math.max(...durations.map((each) => each[k])));
  return slowest.length / slowest.reduce((sum, duration) => sum + duration, 0);
}

/** Number of steps until a moment, with the fraction of the current one. */
function stepsUntil(times: readonly number[], moment: number): number {
  const next = times.findIndex((time) => time > moment);
  if (next < 0) return times.length - 1;
  if (next === 0) return 0;
  return next - 1 + (moment - times[next - 1]) / (times[next] - times[next - 1]);
}

/** Solves t = c₂ N² + c₃ N³ + samples × (a₂ N² + a₃ N³) for two batches and two sizes. */
async function constantsOf(
  exchanges: readonly Exchange[],
  steps: number,
): Promise<MeasuredConstants> {
  const timesOf = async (n: number): Promise<{ serial: number; sample: number }> => {
    const [small, large] = [8, 128];
    const a = (await alone(n, small, 4 * steps)).cpuSeconds;
    const b = (await alone(n, large, steps)).cpuSeconds;
    const sample = (b - a) / (large - small);
    return { serial: Math.max(0, a - small * sample), sample };
  };
  const [at64, at256] = [await timesOf(64), await timesOf(256)];
  const sample = powersThrough(at64.sample, at256.sample);
  const serial = powersThrough(at64.serial, at256.serial);
  const least = exchanges[0].milliseconds.best / 1000;
  const large = exchanges[exchanges.length - 1];
  return {
    secondsPerSampleAndSquare: sample.square,
    secondsPerSampleAndCube: sample.cube,
    serialSecondsPerSquare: serial.square,
    serialSecondsPerCube: serial.cube,
    // An exchange and a gathering, each after a barrier.
    latencyHere: least / 4,
    bandwidthHere: (4 * large.floats) / (large.milliseconds.best / 1000 - least),
  };
}

/** t = square N² + cube N³ through its values at N = 64 and 256; neither below 0. */
function powersThrough(at64: number, at256: number): { square: number; cube: number } {
  const slope = (at256 / 256 ** 2 - at64 / 64 ** 2) / (256 - 64);
  if (slope < 0) return { square: at256 / 256 ** 2, cube: 0 };
  const cube = Math.min(slope, at256 / 256 ** 3);
  return { square: at256 / 256 ** 2 - 256 * cube, cube };
}

function alone(n: number, samples: number, steps: number): Promise<Steps> {
  return figuresOf([], ["alone", n, samples, steps]);
}

/** Runs the program and parses its output. */
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
