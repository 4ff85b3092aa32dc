import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fit, openDensity, writePng } from "gaussianize/node";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitSamples } from "../../src/training/fit-samples.js";
import { simdRunner } from "../support/inline-runners.js";

const random = createRandom(1, "rows");
const rows = Array.from({ length: 300 }, () => {
  const x = random.normal();
  return [x, (0.3 + Math.abs(x)) * random.normal()];
});
const scenes = [1, 2, 3].map((k) => {
  const { width, height, pixels } = deadLeaves(createRandom(k, "scene"), { width: 40, height: 40 });
  return { width, height, pixels: pixels.map((value) => Math.round(255 * value) / 255) };
});
const small = { patch: 4, steps: 6, batch: 32, workers: 0 };

describe("fit", () => {
  test("gives rows of samples the transform of fitSamples, and its history", async () => {
    const steps: number[] = [];
    const onProgress = ({ step }: { readonly step: number }) => steps.push(step);
    const { density, history, problem } = await fit(rows, { steps: 20, workers: 0, onProgress });
    expect(density.model.transform).toEqual(await fitSamples(simdRunner, rows, { steps: 20 }));
    expect(history.map(({ step }) => step)).toEqual(steps);
    expect([steps.length, problem, density.dimension]).toEqual([20, null, 2]);
    const flat = [1, 2, 3, 4] as unknown as number[][];
    await expect(fit(flat, { steps: 1 })).rejects.toThrow(/^Expected/);
    await expect(fit(rows, { steps: 1, patch: 8 })).rejects.toThrow('received "patch"');
  });

  test("reads a folder of pictures, and images in memory alike", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gaussianize-fit-"));
    for (const [k, scene] of scenes.entries()) await writePng(join(folder, `${k}.png`), scene);
    const ofFiles = await fit(folder, { ...small, luminance: "grey", noise: false });
    const { density } = await fit(scenes, { ...small, luminance: "grey", noise: false });
    expect(density.model.transform).toEqual(ofFiles.density.model.transform);
    expect(density.model.about.patch).toMatchObject({ width: 4, height: 4, luminance: "grey" });
    const path = join(folder, "model.safetensors");
    await density.save(path);
    expect((await openDensity(path)).model).toEqual(density.model);
  });

  test("fits whole images with a cascade", async () => {
    const asked = { cascade: "small", stages: 1, steps: 2, batch: 16, workers: 0 } as const;
    const { density } = await fit(scenes, asked);
    expect(density.kind).toBe("images");
    const size = { width: 8, height: 8 };
    expect(await density.sample(1, { size })).toHaveLength(1);
  });

  test("stops with its signal", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(fit(rows, { signal, workers: 0 })).rejects.toThrow("enough");
  });
});
