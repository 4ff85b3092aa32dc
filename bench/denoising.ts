/**
 * (f) Denoising of a grey picture with a prior of the package, by two workers and in PyTorch at its
 * best: with the score by automatic differentiation and derived by hand, and all plausible
 * combinations of threads, chunk sizes and OpenBLAS kernels.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { endianness, tmpdir } from "node:os";
import { join } from "node:path";
import { densityOf } from "../src/density/density-of.js";
import { denoiseImage } from "../src/denoising/denoise-image.js";
import type { Model } from "../src/density/model-files/model.js";
import { type GreyImage, centralCrop } from "../src/images/grey-image.js";
import type { KernelName } from "../src/kernels/kernels.js";
import { withWhiteNoise } from "../src/preprocessing/white-noise.js";
import { createRandom } from "../src/random/random-stream.js";
import { decodeImage } from "../node/decode-image.js";
import { nearestPrior } from "../node/denoising-priors.js";
import { embeddedPhotographs } from "../node/embedded-photographs.js";
import { readPatchModel } from "../node/model-files.js";
import { openRunner } from "../node/worker-threads.js";
import { askScript, coreTypes } from "./python.js";

/** The noise level σ of the prior in grey levels of 255. */
const noiseLevel = 25;
const sigma = noiseLevel / 255;
/** The default of `gaussianize denoise --rounds 1` for 8×8 patches. */
const stride = 2;
/** Pictures in one turn, for us and for PyTorch. */
const repetitions = 3;
/** Largest difference of our pixels and PyTorch's, which are from 0 to 1. */
const largestDifferenceAllowed = 1e-3;

const methods = ["autograd", "inverse"] as const;
export type ScoreMethod = (typeof methods)[number];
/** Small chunks fit into a cache; large ones keep several threads busy. */
const threadings = [
  { threads: 1, chunksAtOnce: 1, chunks: [64, 512] },
  { threads: 2, chunksAtOnce: 1, chunks: [512] },
  { threads: 1, chunksAtOnce: 2, chunks: [64, 512] },
];

/** Least wall time and least CPU time (over all threads) of a picture. */
export interface Seconds {
  readonly wall: number;
  readonly cpu: number;
}

export interface PyTorchDenoising {
  readonly version: string;
  /** Best times by method. */
  readonly secondsPerMegapixel: Readonly<Record<ScoreMethod, Seconds>>;
  /** Best settings by method. */
  readonly settings: Readonly<Record<ScoreMethod, string>>;
  /** Times of all settings that were tried. */
  readonly tried: Readonly<Record<string, Seconds>>;
  /** Largest difference of a pixel between PyTorch's pictures and ours. */
  readonly largestDifference: number;
}

export interface DenoisingFigures {
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  /** Our times by build of the kernels. */
  readonly secondsPerMegapixel: Readonly<Partial<Record<KernelName, Seconds>>>;
  /** Null without torch. */
  readonly pyTorch: PyTorchDenoising | null;
}

export interface DenoisingMeasurement {
  readonly builds: readonly KernelName[];
  readonly turns: number;
  /** A file; by default a photograph of the package. */
  readonly picture?: string | undefined;
  /** Side of the central square that is denoised. */
  readonly side?: number;
  /** Default 2. */
  readonly workers?: number;
  readonly withPyTorch: boolean;
}

export async function measureDenoising(
  { builds, turns, picture, side = 192, workers = 2, withPyTorch }: DenoisingMeasurement,
  say: (text: string) => void,
): Promise<DenoisingFigures> {
  const clean = middleOf(await decodeImage(picture ?? defaultPicture(), "grey"), side);
  const random = createRandom(1, "bench-denoising");
  const noisy = { ...clean, pixels: withWhiteNoise(clean.pixels, sigma, random) };
  const { path } = await nearestPrior(noiseLevel);
  const model = await readPatchModel(path);
  const ours = await Promise.all(builds.map((build) => Ours.open(build, workers, model, noisy)));
  const pyTorch = withPyTorch ? await PyTorch.open(path, noisy, await ours[0].turn(1), say) : null;
  try {
    // In turns, so that other load slows all of them.
    for (let turn = 0; turn < turns; turn++) {
      say(`denoising, turn ${turn + 1} of ${turns}`);
      for (const build of ours) await build.turn(repetitions);
      await pyTorch?.turn();
    }
    const { width, height } = noisy;
    const pictures = 1e6 / (width * height);
    const seconds = ours.map(({ name, best }) => [name, times(best, pictures)] as const);
    return {
      width,
      height,
      stride,
      secondsPerMegapixel: Object.fromEntries(seconds),
      pyTorch: pyTorch?.figures(pictures) ?? null,
    };
  } finally {
    await Promise.all(ours.map((build) => build.close()));
    await pyTorch?.close();
  }
}

function times({ wall, cpu }: Seconds, factor: number): Seconds {
  return { wall: wall * factor, cpu: cpu * factor };
}

function leastOf(first: Seconds, second: Seconds): Seconds {
  return { wall: Math.min(first.wall, second.wall), cpu: Math.min(first.cpu, second.cpu) };
}

const never: Seconds = { wall: Infinity, cpu: Infinity };

function defaultPicture(): string {
  const photograph = embeddedPhotographs().find(({ name }) => name === "nagasaki-boats");
  if (!photograph) throw new Error("there is no photograph to denoise");
  return photograph.path;
}

function middleOf(image: GreyImage, side: number): GreyImage {
  const { width, height } = image;
  if (width < side || height < side) {
    throw new Error(`the picture has ${width}×${height} pixels, less than ${side}×${side}`);
  }
  return centralCrop(image, { width: side, height: side });
}

/** Our times; the calling thread is one of the workers, as in `gaussianize denoise`. */
class Ours {
  best = never;

  private constructor(
    readonly name: KernelName,
    private readonly runner: Awaited<ReturnType<typeof openRunner>>,
    private readonly model: Model,
    private readonly noisy: GreyImage,
  ) {}

  static async open(
    name: KernelName,
    workers: number,
    model: Model,
    noisy: GreyImage,
  ): Promise<Ours> {
    const runner = await openRunner({ kernels: name, workers, callerWorks: true });
    return new Ours(name, runner, model, noisy);
  }

  async turn(pictures: number): Promise<GreyImage> {
    let denoised = this.noisy;
    for (let k = 0; k < pictures; k++) {
      const [start, used] = [performance.now(), process.cpuUsage()];
      denoised = await denoiseImage(densityOf(this.model, this.runner), this.noisy, {
        sigma,
        stride,
      });
      const { user, system } = process.cpuUsage(used);
      const wall = (performance.now() - start) / 1000;
      this.best = leastOf(this.best, { wall, cpu: (user + system) / 1e6 });
    }
    return denoised;
  }

  close(): Promise<void> {
    return this.runner.close();
  }
}

interface Setting {
  readonly coreType: string;
  readonly threads: number;
  readonly chunksAtOnce: number;
  readonly chunk: number;
}

interface Answer {
  readonly torch: string;
  /** Times by "method:chunk". */
  readonly seconds: Readonly<Record<string, Seconds>>;
}

/** The best times of PyTorch by method, with their settings. */
class PyTorch {
  private version = "";
  private largestDifference = 0;
  private readonly tried: Record<string, Seconds> = {};
  private readonly best = new Map<ScoreMethod, { seconds: Seconds; setting: Setting }>();

  private constructor(
    private readonly prior: string,
    private readonly folder: string,
    private readonly expected: GreyImage,
    private readonly say: (text: string) => void,
  ) {}

  /** Tries all settings; without Python or torch, tells `say` the reason and returns null. */
  static async open(
    prior: string,
    noisy: GreyImage,
    expected: GreyImage,
    say: (text: string) => void,
  ): Promise<PyTorch | null> {
    if (endianness() !== "LE") {
      say("PyTorch gives no figures: pictures are handed over in little-endian order.");
      return null;
    }
    const folder = await mkdtemp(join(tmpdir(), "gaussianize-bench-"));
    const pyTorch = new PyTorch(prior, folder, expected, say);
    try {
      await writeFile(pyTorch.noisyFile, noisy.pixels);
      if (await pyTorch.tryAll()) return pyTorch;
    } catch (error) {
      await pyTorch.close();
      throw error;
    }
    await pyTorch.close();
    return null;
  }

  /** Measures both methods with their best settings. */
  async turn(): Promise<void> {
    for (const [method, { setting }] of this.best) {
      await this.measure([method], [setting.chunk], repetitions, setting);
    }
  }

  figures(pictures: number): PyTorchDenoising {
    const byMethod = <Value>(value: (method: ScoreMethod) => Value): Record<ScoreMethod, Value> =>
      Object.fromEntries(methods.map((method) => [method, value(method)])) as never;
    const bestOf = (method: ScoreMethod) => {
      const best = this.best.get(method);
      if (!best) throw new Error(`PyTorch has no figures by ${method}`);
      return best;
    };
    return {
      version: this.version,
      secondsPerMegapixel: byMethod((method) => times(bestOf(method).seconds, pictures)),
      settings: byMethod((method) => nameOf(bestOf(method).setting)),
      tried: Object.fromEntries(
        Object.entries(this.tried).map(([name, seconds]) => [name, times(seconds, pictures)]),
      ),
      largestDifference: this.largestDifference,
    };
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  private get noisyFile(): string {
    return join(this.folder, "noisy");
  }

  /** Returns whether there are figures. */
  private async tryAll(): Promise<boolean> {
    for (const coreType of await coreTypes()) {
      for (const { chunks, ...threading } of threadings) {
        const setting = { coreType, ...threading };
        this.say(`denoising in PyTorch: ${threadingName(setting)}`);
        await this.measure(methods, chunks, 1, setting);
        // Without Python or torch, no setting will work.
        if (this.best.size === 0) return false;
      }
    }
    return true;
  }

  private async measure(
    tried: readonly ScoreMethod[],
    sizes: readonly number[],
    pictures: number,
    { coreType, threads, chunksAtOnce }: Omit<Setting, "chunk">,
  ): Promise<void> {
    const { width } = this.expected;
    const names = tried.flatMap((method) => sizes.map((chunk) => `${method}:${chunk}`));
    const numbers = [width, sigma, stride, pictures, chunksAtOnce].map(String);
    const answer = await askScript<Answer>(
      "pytorch_denoise.py",
      [this.prior, this.noisyFile, ...numbers, ...names],
      { OMP_NUM_THREADS: String(threads), ...(coreType && { OPENBLAS_CORETYPE: coreType }) },
    );
    if (typeof answer === "string") {
      this.say(`PyTorch gives no figures: ${answer}`);
      return;
    }
    this.version = answer.torch;
    for (const method of tried) {
      for (const chunk of sizes) {
        const name = `${method}:${chunk}`;
        await this.compare(name);
        const setting = { coreType, threads, chunksAtOnce, chunk };
        const place = `${method}, ${nameOf(setting)}`;
        this.tried[place] = leastOf(this.tried[place] ?? never, answer.seconds[name]);
        const before = this.best.get(method);
        const seconds = leastOf(before?.seconds ?? never, answer.seconds[name]);
        const isFastest = seconds.wall < (before?.seconds.wall ?? Infinity);
        this.best.set(method, {
          seconds,
          setting: before && !isFastest ? before.setting : setting,
        });
      }
    }
  }

  /** Checks that PyTorch's picture is the same as ours. */
  private async compare(name: string): Promise<void> {
    const bytes = await readFile(`${this.noisyFile}.${name}`);
    const theirs = new Float32Array(new Uint8Array(bytes).buffer);
    const { pixels } = this.expected;
    const difference = pixels.reduce(
      (most, value, k) => Math.max(most, Math.abs(value - theirs[k])),
      0,
    );
    // Also fails for NaN.
    if (!(theirs.length === pixels.length && difference <= largestDifferenceAllowed)) {
      throw new Error(`PyTorch's picture (${name}) differs from ours by ${difference}`);
    }
    this.largestDifference = Math.max(this.largestDifference, difference);
  }
}

function nameOf(setting: Setting): string {
  return `${setting.chunk} patches a chunk, ${threadingName(setting)}`;
}

function threadingName({ threads, chunksAtOnce, coreType }: Omit<Setting, "chunk">): string {
  const kernels = `OpenBLAS ${coreType || "default"}`;
  if (chunksAtOnce > 1) return `${chunksAtOnce} chunks at once, ${kernels}`;
  return `${threads} thread${threads === 1 ? "" : "s"}, ${kernels}`;
}
