/**
 * (d) The inverse of a fitted layer, by Newton's method and by the paper's fixed point, to the same
 * residual in one thread.
 */
import type { FloatArray, GdnKernel, InversionMethod, Kernels } from "../src/kernels/kernels.js";
import { createRandom } from "../src/random/random-stream.js";
import type { Gdn } from "../src/transforms/gdn.js";
import { spreadOverEntries } from "../src/transforms/gdn-structures.js";
import { medianOf } from "../src/numbers/order-statistics.js";
import { deadLeaves } from "../src/images/dead-leaves.js";
import { randomPatches } from "../src/patches/image-patches.js";
import { fitTransform } from "../src/training/fit-transform.js";
import { stagesOf } from "../src/transforms/cascade.js";
import { startingGdn } from "../src/transforms/gdn-start.js";
import { zcaWhitening } from "../src/transforms/whitening.js";
import { readPatchModel } from "../node/model-files.js";
import { openRunner } from "../node/worker-threads.js";

const samples = 64;

export interface IterationFigures {
  readonly medianIterations: number;
  readonly microsecondsPerSample: number;
  readonly unconverged: number;
}

export interface InversionFigures {
  readonly dimension: number;
  /** Both end below this residual. */
  readonly tolerance: number;
  readonly newton: IterationFigures;
  readonly fixedPoint: IterationFigures;
  /** Time of the fixed point / time of Newton's method. */
  readonly speedup: number;
}

export function measureInversion(
  kernels: Kernels,
  layer: Gdn,
  milliseconds: number,
): InversionFigures {
  const parameters = { ...spreadOverEntries(layer), H: null };
  const n = parameters.dimension;
  const kernel = kernels.gdn({
    form: parameters.form,
    dimension: n,
    linear: false,
    leafSize: 16,
    maximumLeaves: 1,
  });
  kernel.load(parameters);
  const y = createRandom(1, "bench-inversion").normalFill(kernels.floats(samples * n));
  const newton = new Timed(kernels, kernel, y, n, "newton");
  const fixedPoint = new Timed(kernels, kernel, y, n, "fixed-point");
  // In turns, so that other load slows both.
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    newton.pass();
    fixedPoint.pass();
  }
  const [ours, papers] = [newton.figures(), fixedPoint.figures()];
  return {
    dimension: n,
    tolerance: kernels.tolerance,
    newton: ours,
    fixedPoint: papers,
    speedup: papers.microsecondsPerSample / ours.microsecondsPerSample,
  };
}

/** Inverts sample by sample, and keeps the best time of each. */
class Timed {
  private readonly best: Float64Array;
  private readonly iterations: Int32Array;
  private readonly converged: Uint8Array;

  constructor(
    private readonly kernels: Kernels,
    private readonly kernel: GdnKernel,
    private readonly y: FloatArray,
    private readonly n: number,
    private readonly method: InversionMethod,
  ) {
    const count = y.length / n;
    this.best = new Float64Array(count).fill(Infinity);
    this.iterations = new Int32Array(count);
    this.converged = new Uint8Array(count);
  }

  pass(): void {
    const { n, kernels, method } = this;
    // The defaults of `synthesize`.
    const maximumIterations = method === "newton" ? 100 : 10_000;
    const settings = { method, tolerance: kernels.tolerance, maximumIterations };
    const z = kernels.floats(n);
    const residual = new Float64Array(1);
    for (let s = 0; s < this.best.length; s++) {
      const start = performance.now();
      this.kernel.synthesize(this.y.subarray(s * n, (s + 1) * n), 1, settings, {
        z,
        residual,
        iterations: this.iterations.subarray(s, s + 1),
        converged: this.converged.subarray(s, s + 1),
      });
      this.best[s] = Math.min(this.best[s], performance.now() - start);
    }
  }

  figures(): IterationFigures {
    const mean = this.best.reduce((sum, value) => sum + value, 0) / this.best.length;
    return {
      medianIterations: medianOf([...this.iterations]),
      microsecondsPerSample: 1000 * mean,
      unconverged: this.converged.filter((value) => value === 0).length,
    };
  }
}

const patchSize = 16;
const dimension = patchSize * patchSize;
const batchSize = 128;
/** Noise of patches, as in `gaussianize demo`: flat areas have no density without it. */
const noiseLevel = 0.05;

/** Fits a GDN of N = 256 to patches of synthetic scenes; takes half a minute on two cores. */
export async function fitLayer(steps = 400): Promise<Gdn> {
  const random = createRandom(1, "bench-fitted");
  const scenes = Array.from({ length: 24 }, (_, k) =>
    deadLeaves(random.stream("scene", k), { width: 201, height: 201, smallestRadius: 3 }),
  );
  const patches = (purpose: string, k: number, count: number): Float32Array => {
    const stream = random.stream(purpose, k);
    const values = randomPatches(stream, scenes, patchSize, count);
    return values.map((v) => (v - 0.5) * Math.sqrt(12) + noiseLevel * stream.normal());
  };
  const H = zcaWhitening(patches("whitening", 0, 20_000), dimension);
  const runner = await openRunner({ workers: 2, callerWorks: true });
  const start = startingGdn({ structure: "column", dimension, H });
  const batchAt = (step: number): Float32Array => patches("batch", step, batchSize);
  const { transform } = await fitTransform(runner, start, { steps, batchAt });
  await runner.close();
  return transform;
}

/** Reads the last GDN of a model file. */
export async function readLayer(file: string): Promise<Gdn> {
  const { transform } = await readPatchModel(file);
  const layer = stagesOf(transform).findLast((stage) => stage.kind === "gdn");
  if (!layer) throw new Error(`${file} has no GDN`);
  return layer;
}
