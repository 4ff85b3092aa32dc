/** What the browser and Node both compute, for the test to compare bit for bit. */
import {
  type FloatArray,
  type GdnForm,
  type TaskRunner,
  createRandom,
  gaussianize,
  gdnParameters,
  negentropyGradient,
  score,
} from "gaussianize";

/** The bytes of every result as hexadecimal text, which crosses from the page to the test unchanged. */
export type Bits = Record<string, string>;

const sizes: readonly { form: GdnForm; n: number; count: number }[] = [
  { form: "general", n: 5, count: 50 },
  { form: "column", n: 33, count: 333 },
  { form: "diagonal", n: 17, count: 7 },
];

export async function computeBits(runner: TaskRunner, seed: string): Promise<Bits> {
  const bits: Bits = {};
  for (const { form, n, count } of sizes) {
    const name = `${form}, ${n} dimensions, batch of ${count}`;
    const random = createRandom(seed, form, n, count);
    const parameters = gdnParameters(layerOf(form, n, seed));
    const x = random.stream("samples").normalFill(new Float32Array(n * count));
    const fit = await negentropyGradient(runner, parameters, x);
    for (const [group, values] of Object.entries(fit.gradient) as [string, FloatArray][]) {
      bits[`${name}: gradient of ${group}`] = hexadecimal(values);
    }
    bits[`${name}: mean log p`] = hexadecimal(Float64Array.of(fit.meanLogProb, fit.failedSamples));
    const scored = await score(runner, parameters, x);
    bits[`${name}: score`] = hexadecimal(scored.score);
    bits[`${name}: log p`] = hexadecimal(scored.logProb);
    const normal = await gaussianize(runner, parameters, x);
    bits[`${name}: y`] = hexadecimal(normal.y);
    bits[`${name}: log-determinant`] = hexadecimal(normal.logDeterminant);
  }
  return bits;
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
function layerOf(form: GdnForm, n: number, seed: string) {
  const random = createRandom(seed, "layer", form, n);
  const fill = (length: number, from: number, to: number): Float32Array =>
    random.uniformFill(new Float32Array(length)).map((value) => from + (to - from) * value);
  const H = fill(n * n, -0.3, 0.3).map((value, k) => value / n + (k % (n + 1) === 0 ? 1 : 0));
  return {
    form,
    dimension: n,
    H,
    alpha: fill(form === "general" ? n * n : n, 1, 2.5),
    beta: fill(n, 0.2, 1.2),
    gamma: fill(form === "diagonal" ? n : n * n, 0, 2 / n),
    epsilon: fill(n, 0.1, 0.39),
  };
}

function hexadecimal(values: FloatArray): string {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
