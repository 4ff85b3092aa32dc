/** The step of jax-js (jax-js-step.ts) against ours, in Node and in Chromium. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openRunner } from "../node/worker-threads.js";
import { openBenchPage } from "./bench-page.js";
import { type JaxJsMethod, jaxJsMethods, jaxJsSteps } from "./jax-js-step.js";
import { type Problem, problems } from "./problem.js";
import { stepsFor } from "./step-rate.js";

export interface JaxJsFigures {
  readonly version: string;
  readonly node: JaxJsEngine;
  /** Null without Chromium. */
  readonly chromium: JaxJsEngine | null;
  /** The smallest ratios of both engines. */
  readonly ratio: Readonly<Record<string, number>>;
}

/** Samples per second of CPU time by problem, on one thread of one engine. */
export interface JaxJsEngine {
  readonly engine: string;
  readonly ours: Readonly<Record<string, number>>;
  readonly theirs: Readonly<Record<JaxJsMethod, Readonly<Record<string, number>>>>;
  /** Our speed / that of the faster method. */
  readonly ratio: Readonly<Record<string, number>>;
}

/** Computes steps for some milliseconds in one engine, and returns the number of samples. */
interface Engine {
  readonly name: string;
  readonly ours: (problem: Problem, milliseconds: number) => Promise<number>;
  readonly theirs: (problem: Problem, method: JaxJsMethod, milliseconds: number) => Promise<number>;
  /** CPU time of the engine so far. */
  readonly cpuSeconds: () => number | Promise<number>;
}

export async function measureJaxJs(say: (text: string) => void): Promise<JaxJsFigures> {
  const node = await inNode(say);
  const chromium = await inChromium(say);
  const ratio = Object.fromEntries(
    Object.entries(node.ratio).map(([name, value]) => [
      name,
      Math.min(value, chromium?.ratio[name] ?? Infinity),
    ]),
  );
  return { version: await jaxJsVersion(), node, chromium, ratio };
}

async function inNode(say: (text: string) => void): Promise<JaxJsEngine> {
  const runner = await openRunner({ kernels: "simd", workers: 1, callerWorks: true });
  try {
    const engine: Engine = {
      name: `Node ${process.version}`,
      ours: (problem, milliseconds) => stepsFor(runner, problem, milliseconds),
      theirs: jaxJsSteps,
      cpuSeconds: () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
    };
    return await figuresOf(engine, say);
  } finally {
    await runner.close();
  }
}

async function inChromium(say: (text: string) => void): Promise<JaxJsEngine | null> {
  const page = await openBenchPage();
  if (typeof page === "string") {
    say(page);
    return null;
  }
  try {
    const engine: Engine = {
      name: page.version,
      ours: (problem, milliseconds) => page.evaluate("steps", problem, milliseconds),
      theirs: (problem, method, milliseconds) =>
        page.evaluate("jaxJsSteps", problem, method, milliseconds),
      cpuSeconds: () => page.cpuSeconds(),
    };
    return await figuresOf(engine, say);
  } finally {
    await page.close();
  }
}

/** Compares both on the problems of the default model. */
async function figuresOf(engine: Engine, say: (text: string) => void): Promise<JaxJsEngine> {
  const ours: Record<string, number> = {};
  const theirs: Record<JaxJsMethod, Record<string, number>> = { autodiff: {}, inverse: {} };
  const ratio: Record<string, number> = {};
  for (const problem of problems.filter(({ structure }) => structure === "column")) {
    const { name } = problem;
    for (const method of jaxJsMethods) {
      say(`jax-js in ${engine.name}, ${name}, ${method}`);
      const our = await rateInCpuTime(engine, (ms) => engine.ours(problem, ms));
      ours[name] = Math.max(ours[name] ?? 0, our);
      const run = (ms: number): Promise<number> => engine.theirs(problem, method, ms);
      theirs[method][name] = await rateInCpuTime(engine, run);
    }
    ratio[name] = ours[name] / Math.max(theirs.autodiff[name], theirs.inverse[name]);
  }
  return { engine: engine.name, ours, theirs, ratio };
}

/** A step of jax-js takes seconds: too long for rounds that no other load disturbs. */
async function rateInCpuTime(
  { cpuSeconds }: Engine,
  run: (milliseconds: number) => Promise<number>,
): Promise<number> {
  // The first step compiles.
  await run(0);
  const start = await cpuSeconds();
  const samples = await run(2000);
  return samples / ((await cpuSeconds()) - start);
}

/** The package does not export its package.json. */
async function jaxJsVersion(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@jax-js/jax");
  const description = await readFile(join(dirname(main), "../package.json"), "utf8");
  return (JSON.parse(description) as { version: string }).version;
}
