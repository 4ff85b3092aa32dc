/** The page that the tests open: makes functions of the library callable from tests. */
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { decodeGuided } from "../../../src/denoising/guided/guided-file.js";
import { type PriorShelf, keptShelf, priorsAmong } from "../../../src/denoising/prior-shelf.js";
import { requirePatchModel } from "../../../src/density/model-files/model.js";
import { loadKernels } from "../../../src/kernels/load-kernels.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { openRunner } from "gaussianize/browser";
import { densities } from "./computation.js";
import { type Decoded, type Picture, decode } from "./decoding.js";
import type { Digests } from "./digest.js";
import { resultsOf } from "./results.js";

/** The priors of the package, as files beside the page. */
const urls = import.meta.glob<string>("../../../priors/{gdn,guided}-*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});

const shelf: PriorShelf = keptShelf({
  list: (family) => Promise.resolve(priorsAmong(Object.keys(urls), family)),
  model: async (path) => requirePatchModel(decodeModel(await bytesOf(path), path), path),
  guided: async (path) => decodeGuided(await bytesOf(path), path).guided,
});

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(urls[path])).arrayBuffer());
}

export interface PageFunctions {
  results(workers: number, seed: string): Promise<Digests>;
  /** Returns the error of opening a runner. */
  openingError(workers: number): Promise<string>;
  /** Returns the error of a runner that is closed while it computes. */
  closingError(seed: string): Promise<string>;
  defaultSize(): Promise<number>;
  kernelReason(): Promise<string>;
  decode(picture: Picture): Promise<Decoded>;
  decodeInWorker(picture: Picture): Promise<Decoded>;
}

const functions: PageFunctions = {
  results: (workers, seed) => withRunner(workers, (runner) => resultsOf(runner, shelf, seed)),
  async openingError(workers) {
    try {
      const runner = await openRunner({ workers });
      await runner.close();
    } catch (error) {
      return String(error);
    }
    return "no error";
  },
  async closingError(seed) {
    const runner = await openRunner({ workers: 2 });
    const running = densities(runner, seed).then(
      () => "no error",
      (error: unknown) => String(error),
    );
    await runner.close();
    return running;
  },
  async defaultSize() {
    const runner = await openRunner();
    await runner.close();
    return runner.size;
  },
  kernelReason: async () => (await loadKernels()).reason,
  decode,
  decodeInWorker(picture) {
    const worker = new Worker(new URL("./decoding-worker.ts", import.meta.url), { type: "module" });
    return new Promise<Decoded>((resolve, reject) => {
      worker.addEventListener("error", ({ message }) => {
        reject(new Error(message));
      });
      worker.addEventListener("message", ({ data }: MessageEvent<Decoded>) => {
        resolve(data);
      });
      worker.postMessage(picture);
    }).finally(() => {
      worker.terminate();
    });
  },
};

async function withRunner<T>(workers: number, use: (runner: TaskRunner) => Promise<T>): Promise<T> {
  const runner = await openRunner({ workers });
  try {
    return await use(runner);
  } finally {
    await runner.close();
  }
}

Object.assign(globalThis, { page: functions });
