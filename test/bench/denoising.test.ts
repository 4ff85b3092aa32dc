import { afterEach, describe, expect, test, vi } from "vitest";
import { measureDenoising } from "../../bench/denoising.js";
import { askScript } from "../../bench/python.js";

/** Sources have no module for other threads. */
const small = { builds: ["simd"], turns: 1, side: 32, workers: 1 } as const;

/** Torch may be missing, and takes seconds to load. */
const answer = await askScript("pytorch_step.py", ["1", "0"], {});
const hasTorch = typeof answer !== "string";

describe("the benchmark of denoising", () => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);

  afterEach(() => {
    vi.unstubAllEnvs();
    said.length = 0;
  });

  test("measures seconds per megapixel without PyTorch", async () => {
    const figures = await measureDenoising({ ...small, withPyTorch: false }, say);
    expect(figures).toMatchObject({ width: 32, height: 32, stride: 2, pyTorch: null });
    expect(figures.secondsPerMegapixel.simd?.wall).toBeGreaterThan(0);
    expect(figures.secondsPerMegapixel.simd?.cpu).toBeGreaterThan(0);
  });

  test("says that Python is missing", async () => {
    vi.stubEnv("PYTHON", "no-such-python");
    const figures = await measureDenoising({ ...small, withPyTorch: true }, say);
    expect(figures.pyTorch).toBeNull();
    expect(said).toContain(
      "PyTorch gives no figures: there is no no-such-python (the variable PYTHON names another).",
    );
  });

  test("rejects a small picture", async () => {
    const measured = measureDenoising({ ...small, side: 4096, withPyTorch: false }, say);
    await expect(measured).rejects.toThrow("less than 4096×4096");
  });

  test.skipIf(!hasTorch)(
    "PyTorch denoises as we do, by both methods and with every setting",
    async () => {
      // One choice of OpenBLAS's kernels is enough here.
      vi.stubEnv("OPENBLAS_CORETYPE", process.env.OPENBLAS_CORETYPE ?? "");
      const { pyTorch } = await measureDenoising({ ...small, withPyTorch: true }, say);
      expect(pyTorch?.largestDifference).toBeLessThan(1e-5);
      expect(Object.keys(pyTorch?.tried ?? {})).toHaveLength(10);
      for (const { wall } of Object.values(pyTorch?.secondsPerMegapixel ?? {})) {
        expect(wall).toBeGreaterThan(0);
      }
    },
    120_000,
  );
});
