/** The step of jax-js (jax-js-step.ts) against ours, in Node and in Chromium. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openBenchPage } from "./bench-page.js";
import { type JaxJsMethod, jaxJsMethods, jaxJsRate } from "./jax-js-step.js";
import type { RoundOptions } from "./measure.js";
import { type Problem, problems } from "./problem.js";
import { measureStep } from "./step.js";

export interface JaxJsFigures {
  readonly version: string;
  readonly node: JaxJsEngine;
  /** Null without Chromium. */
  readonly chromium: JaxJsEngine | null;
  /** The smallest ratios of both engines. */
  readonly ratio: Readonly<Record<string, number>>;
}

/** Samples per second by problem, on one thread of one engine. */
export interface JaxJsEngine {
  readonly engine: string;
  readonly ours: Readonly<Record<string, number>>;
  readonly theirs: Readonly<Record<JaxJsMethod, Readonly<Record<string, number>>>>;
  /** Our speed / that of the faster method. */
  readonly ratio: Readonly<Record<string, number>>;
}

/** Measures samples per second of a problem, ours and theirs. */
interface Rates {
  ours(problem: Problem): Promise<number>;
  theirs(problem: Problem, method: JaxJsMethod): Promise<number>;
}

const rounds: RoundOptions = { round: 150, total: 1500 };

export async function measureJaxJs(say: (text: string) => void): Promise<JaxJsFigures> {
  const node = await ratesOf(
    `Node ${process.version}`,
    {
      ours: (problem) => measureStep(problem, { kernels: "simd", workers: 1, rounds }),
      theirs: (problem, method) => jaxJsRate(problem, method, rounds.total),
    },
    say,
  );
  const chromium = await inChromium(say);
  const ratio = Object.fromEntries(
    Object.entries(node.ratio).map(([name, value]) => [
      name,
      Math.min(value, chromium?.ratio[name] ?? Infinity),
    ]),
  );
  return { version: await jaxJsVersion(), node, chromium, ratio };
}

async function inChromium(say: (text: string) => void): Promise<JaxJsEngine | null> {
  const opened = await openBenchPage();
  if (typeof opened === "string") {
    say(opened);
    return null;
  }
  try {
    return await ratesOf(
      opened.version,
      {
        ours: (problem) => opened.evaluate("step", problem, 1, rounds),
        theirs: (problem, method) => opened.evaluate("jaxJs", problem, method, rounds.total),
      },
      say,
    );
  } finally {
    await opened.close();
  }
}

/** Compares both on the problems of the default model. */
async function ratesOf(
  engine: string,
  rates: Rates,
  say: (text: string) => void,
): Promise<JaxJsEngine> {
  const ours: Record<string, number> = {};
  const theirs: Record<JaxJsMethod, Record<string, number>> = { autodiff: {}, inverse: {} };
  const ratio: Record<string, number> = {};
  for (const problem of problems.filter(({ structure }) => structure === "column")) {
    const { name } = problem;
    for (const method of jaxJsMethods) {
      say(`jax-js in ${engine}, ${name}, ${method}`);
      // In turns, so that other load slows both alike.
      ours[name] = Math.max(ours[name] ?? 0, await rates.ours(problem));
      theirs[method][name] = await rates.theirs(problem, method);
    }
    ratio[name] = ours[name] / Math.max(theirs.autodiff[name], theirs.inverse[name]);
  }
  return { engine, ours, theirs, ratio };
}

/** The package does not export its package.json. */
async function jaxJsVersion(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@jax-js/jax");
  const description = await readFile(join(dirname(main), "../package.json"), "utf8");
  return (JSON.parse(description) as { version: string }).version;
}
