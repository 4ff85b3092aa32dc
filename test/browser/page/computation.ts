/** What the browser and Node both compute, for the test to compare bit for bit. */
import {
  type FloatArray,
  type TaskRunner,
  type Transform,
  affine,
  cascade,
  createRandom,
  gaussianize,
  gdn,
  negentropyGradient,
  pointwise,
  sample,
  score,
  startingGdn,
  synthesize,
} from "gaussianize";

/** The bytes of every result as hexadecimal text, which crosses from the page to the test unchanged. */
export type Bits = Record<string, string>;

/** The structures without ties, one for each form of the kernels. */
type Untied = "general" | "column" | "marginal" | "low-rank";

const sizes: readonly { structure: Untied; n: number; count: number }[] = [
  { structure: "general", n: 5, count: 50 },
  { structure: "column", n: 33, count: 333 },
  { structure: "marginal", n: 17, count: 7 },
  { structure: "low-rank", n: 19, count: 61 },
];

export async function computeBits(runner: TaskRunner, seed: string): Promise<Bits> {
  const bits: Bits = {};
  for (const { structure, n, count } of sizes) {
    const name = `${structure}, ${n} dimensions, batch of ${count}`;
    const random = createRandom(seed, structure, n, count);
    const layer = gdn(layerOf(structure, n, seed));
    const x = random.stream("samples").normalFill(new Float32Array(n * count));
    Object.assign(bits, await bitsOf(runner, name, layer, x));
  }
  const x = createRandom(seed, "intensities").uniformFill(new Float32Array(6 * 100));
  const intensities = x.map((value) => 0.01 + 0.98 * value);
  const [curve, ...others] = stagesOfSix();
  Object.assign(bits, await bitsOf(runner, "cascade", cascade([curve, ...others]), intensities));
  // Without the curve, where the tails of what is drawn would round to its ends.
  bits["cascade: drawn"] = hexadecimal(await sample(runner, cascade(others), 40, seed));
  return bits;
}

async function bitsOf(
  runner: TaskRunner,
  name: string,
  transform: Transform,
  x: Float32Array,
): Promise<Bits> {
  const bits: Bits = {};
  const fit = await negentropyGradient(runner, transform, x);
  fit.gradient.forEach((groups, stage) => {
    for (const [group, values] of Object.entries(groups)) {
      bits[`${name}: gradient of ${group} in stage ${stage}`] = hexadecimal(values);
    }
  });
  bits[`${name}: mean log p`] = hexadecimal(Float64Array.of(fit.meanLogProb, fit.failedSamples));
  const scored = await score(runner, transform, x);
  bits[`${name}: score`] = hexadecimal(scored.score);
  bits[`${name}: log p`] = hexadecimal(scored.logProb);
  const normal = await gaussianize(runner, transform, x);
  bits[`${name}: y`] = hexadecimal(normal.y);
  bits[`${name}: log-determinant`] = hexadecimal(normal.logDeterminant);
  const back = await synthesize(runner, transform, normal.y);
  bits[`${name}: x from y`] = hexadecimal(back.x);
  bits[`${name}: iterations`] = [...back.iterations].join();
  return bits;
}

/** Stages of other kinds, with tied parameters among them. */
function stagesOfSix(): Transform[] {
  const dimension = 6;
  const shift = Float32Array.of(0.1, -0.2, 0.3, 0, -0.1, 0.2);
  return [
    pointwise({ dimension, lower: 0, upper: 1, rate: 1.5, asymmetry: 0.8, center: 0.2 }),
    affine({ dimension, scale: shift.map((value) => 1 + value), shift }),
    startingGdn({ structure: "subspace", dimension, partition: [0, 1, 0, 2, 1, 0] }),
  ];
}

export function randomBits(seed: string): Bits {
  const random = createRandom(seed, "numbers");
  return {
    normals: hexadecimal(random.normalFill(new Float64Array(10_000))),
    uniforms: hexadecimal(random.uniformFill(new Float64Array(100))),
    permutation: random.permutation(100).join(),
    state: JSON.stringify(random.state()),
  };
}

/** Nothing symmetric, and every bound kept. */
function layerOf(structure: Untied, n: number, seed: string) {
  const random = createRandom(seed, "layer", structure, n);
  const fill = (length: number, from: number, to: number): Float32Array =>
    random.uniformFill(new Float32Array(length)).map((value) => from + (to - from) * value);
  const H = fill(n * n, -0.3, 0.3).map((value, k) => value / n + (k % (n + 1) === 0 ? 1 : 0));
  const rank = 5;
  const weights = { general: n * n, column: n * n, marginal: n, "low-rank": (2 * rank + 1) * n };
  return {
    structure,
    dimension: n,
    ...(structure === "low-rank" && { rank }),
    H,
    alpha: fill(structure === "general" ? n * n : n, 1, 2.5),
    beta: fill(n, 0.2, 1.2),
    gamma: fill(weights[structure], 0, 2 / n),
    epsilon: fill(n, 0.1, 0.39),
  };
}

export function hexadecimal(values: FloatArray): string {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
