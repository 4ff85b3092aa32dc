/** (h) The same measurements in Chromium and in Node, in turns. */
import { type BenchPage, openBenchPage } from "./bench-page.js";
import { inverseFigures } from "./inverse.js";
import { defaultRounds } from "./measure.js";
import { problems } from "./problem.js";
import { measureStep } from "./step.js";

export interface BrowserFigures {
  readonly version: string;
  readonly measurements: readonly BrowserMeasurement[];
  readonly smallestRatio: number;
}

interface BrowserMeasurement {
  readonly name: string;
  readonly unit: string;
  /** Rates in that unit. */
  readonly browser: number;
  readonly node: number;
  /** browser / node */
  readonly ratio: number;
}

/** A measurement in both. */
interface Contest {
  readonly name: string;
  readonly unit: string;
  readonly inBrowser: (page: BenchPage) => Promise<number>;
  readonly inNode: () => Promise<number>;
}

/** Measures the best of `turns` in each, alternating; null without a browser. */
export async function measureBrowser(
  turns: number,
  say: (text: string) => void,
): Promise<BrowserFigures | null> {
  const page = await openBenchPage();
  if (typeof page === "string") {
    say(page);
    return null;
  }
  try {
    const measurements: BrowserMeasurement[] = [];
    for (const contest of contests()) {
      say(`Chromium against Node: ${contest.name}`);
      measurements.push(await held(contest, page, turns));
    }
    const smallestRatio = Math.min(...measurements.map(({ ratio }) => ratio));
    return { version: page.version, measurements, smallestRatio };
  } finally {
    await page.close();
  }
}

async function held(contest: Contest, page: BenchPage, turns: number): Promise<BrowserMeasurement> {
  const { name, unit, inBrowser, inNode } = contest;
  let [browser, node] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    browser = Math.max(browser, await inBrowser(page));
    node = Math.max(node, await inNode());
  }
  return { name, unit, browser, node, ratio: browser / node };
}

function contests(): Contest[] {
  const rounds = { ...defaultRounds, total: 1500 };
  const inverses = [64, 256].map((dimension) => ({
    name: `inverse + log-det, N = ${dimension}, one core`,
    unit: "Gflop/s",
    inBrowser: async (page: BenchPage) =>
      (await page.evaluate("inverse", dimension, 1000)).gigaflops,
    inNode: async () => (await inverseFigures("simd", dimension, 1000)).gigaflops,
  }));
  // The caller does not work in either, since the lab's page must stay responsive.
  const steps = problems.flatMap((problem) =>
    [1, 2].map((workers) => ({
      name: `gradient step, ${problem.name}, ${workers} worker${workers === 1 ? "" : "s"}`,
      unit: "samples/s",
      inBrowser: (page: BenchPage) => page.evaluate("step", problem, workers, rounds),
      inNode: () => measureStep(problem, { kernels: "simd", workers, callerWorks: false, rounds }),
    })),
  );
  return [...inverses, ...steps];
}
