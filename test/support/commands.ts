/** Small model files for the tests of commands, and command lines run on them. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { run } from "../../cli/run.js";
import { writeModel } from "../../node/model-files.js";
import type { Model } from "../../src/density/model-files/model.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { randomLayer } from "./models.js";
import { seed } from "./seed.js";
import type { Effects } from "../../cli/effects.js";

const n = 16;
const patch = { width: 4, height: 4 };
const random = createRandom(seed, "command models");
const layer = randomLayer(random, "column", { n });
const H = Float32Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 2 : 0.1 * (k % 3)));
const scaled = affine({
  dimension: n,
  scale: new Float32Array(n).fill(3),
  shift: new Float32Array(n).fill(-1.5),
});

export const commandModels = {
  /** Complete metadata. */
  gdn: {
    transform: cascade([scaled, layer]),
    about: {
      name: "GDN",
      patch: { ...patch, black: 0, white: 1 },
      preprocessing: { noiseStandardDeviation: 0.0123456 },
      data: { description: "dead leaves", hash: "sha256:00ff" },
      seed: 7,
      training: { steps: 100, batch: 64, history: [{ step: 0, nats: -1.25 }] },
      figures: { negentropyDifferenceInNatsPerPixel: -2.0391, count: 12 },
    },
  },
  linear: { transform: linear({ dimension: n, H }), about: { name: "filters", patch } },
  affine: { transform: scaled, about: { patch } },
  noPatch: { transform: layer, about: {} },
  /** A row of 16 pixels: 16 is a square number, but the patch is not square. */
  oblong: { transform: layer, about: { patch: { width: 8, height: 2 } } },
  radial: {
    transform: gdn({
      structure: "radial",
      dimension: 3,
      beta: [1],
      gamma: [0.5],
      epsilon: [0.3],
    }),
    about: { name: "radial\n\u001b[31mred" },
  },
  /** Model of dequantised pixels. */
  spread: {
    transform: cascade([scaled, layer]),
    about: { name: "spread", patch, preprocessing: { dequantization: "uniform", stages: 1 } },
  },
  /** Model of dequantised patches without their mean; one stage of preprocessing. */
  centred: {
    transform: cascade([
      affine({ dimension: n - 1, scale: new Float32Array(n - 1).fill(5) }),
      randomLayer(random.stream("centred"), "column", { n: n - 1 }),
    ]),
    about: {
      name: "centred",
      patch: { ...patch, removeMean: true },
      preprocessing: { dequantization: "uniform", stages: 1 },
    },
  },
  /** One-to-one, but not onto. */
  classic: {
    transform: gdn({ structure: "classic", dimension: n, beta: [1] }),
    about: { name: "classic", patch },
  },
  /** Neither one-to-one nor onto: along 0 → 1 → 0 the mean of α_ij ε_i is 1.5. */
  twofold: {
    transform: gdn({
      structure: "general",
      dimension: 2,
      alpha: [1, 3, 3, 1],
      beta: [1, 1],
      gamma: [0, 1, 1, 0],
      epsilon: [0.5, 0.5],
    }),
    about: {},
  },
} satisfies Record<string, Model>;

export type CommandModel = keyof typeof commandModels;

/**
 * Creates a temporary folder with all of them; `path("gdn")` is a model, `path("x.png")` any other
 * file.
 */
export async function modelFolder() {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-commands-"));
  afterAll(() => rm(folder, { recursive: true }));
  const path = (name: string): string =>
    join(folder, name in commandModels ? `${name}.safetensors` : name);
  for (const [name, model] of Object.entries(commandModels)) await writeModel(path(name), model);
  const names = async (): Promise<string[]> => (await readdir(folder)).sort();
  return { folder, path, names };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process. */
export async function runCommand(...words: readonly string[]): Promise<Ran> {
  const effects = recordEffects();
  const code = await run(words, effects);
  return { code, ...effects.printed };
}

/** Runs a command, built by `npm run build`, as a separate process. */
export function runProcess(...words: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 2 ** 28 };
    execFile(process.execPath, ["dist/cli/main.js", ...words], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Expects one sentence on stderr that names `what`, and no other output. */
export function expectRefusal({ code, stdout, stderr }: Ran, exitCode: 1 | 2, what: string): void {
  expect({ stderr, code, stdout }).toEqual({ stderr, code: exitCode, stdout: "" });
  expect(stderr).toContain(what);
  expect(stderr).toMatch(/^gaussianize [a-z]+: [^\p{Cc}]+[.?!]\n$/u);
  expect(stderr.includes('--help".')).toBe(exitCode === 2);
}

export interface RecordedEffects extends Effects {
  readonly printed: { stdout: string; stderr: string };
  /** Addresses that the command wanted to open in a browser. */
  readonly browsed: string[];
}

/** Effects that record output. The clock advances a millisecond per reading; timers never fire. */
export function recordEffects(): RecordedEffects {
  const printed = { stdout: "", stderr: "" };
  const browsed: string[] = [];
  let clock = 0;
  const outputTo = (stream: "stdout" | "stderr"): Effects["stdout"] => ({
    write: (text) => {
      printed[stream] += text;
    },
    isTerminal: false,
  });
  return {
    printed,
    browsed,
    stdout: outputTo("stdout"),
    stderr: outputTo("stderr"),
    now: () => (clock += 1),
    later: () => () => undefined,
    environment: {},
    interruption: () => new AbortController().signal,
    memory: () => Infinity,
    browse: (address) => {
      browsed.push(address);
      return Promise.resolve(false);
    },
  };
}
