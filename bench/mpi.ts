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
  /** Median over the repetitions of ranks / processes, which ran one after the other. */
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

interface StepTime {
  readonly seconds: number;
  /** Of the processor, in this process: what else the machine does hardly changes it. */
  readonly cpuSeconds: number;
  readonly samplesPerSecond: number;
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
  const together: StepTime[] = [];
  for (let k = 0; k < repetitions; k++) {
    say(`two processes against two ranks, N = ${dimension}, ${k + 1} of ${repetitions}`);
    const both = [0, 1].map(() => alone(dimension, batch / 2, steps));
    const [one, other] = await Promise.all(both);
    joint.push(one.samplesPerSecond + other.samplesPerSecond);
    together.push(await figuresOf<StepTime>(onTwo, ["rank", dimension, batch, steps]));
  }
  const fractions = together.map(({ samplesPerSecond }, k) => samplesPerSecond / joint[k]);
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
    ranksSamplesPerSecond: median(together.map(({ samplesPerSecond }) => samplesPerSecond)),
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
    measuredSeconds: Math.min(...together.map(({ seconds }) => seconds)),
  };
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

function alone(n: number, samples: number, steps: number): Promise<StepTime> {
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
