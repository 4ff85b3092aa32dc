import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { inverseProblem } from "../../bench/inverse.js";
import { compileNative, measureNative, runNative } from "../../bench/native.js";

const folder = await mkdtemp(join(tmpdir(), "gaussianize-test-"));
const program = await compileNative(folder);

afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Logarithm of the determinant in Float64, by elimination. */
function logDeterminant(n: number): number {
  const a = Float64Array.from(inverseProblem(n));
  let sum = 0;
  for (let k = 0; k < n; k++) {
    sum += Math.log(a[k * n + k]);
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / a[k * n + k];
      for (let j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return sum;
}

describe("native code", () => {
  test.skipIf(typeof program === "string")("inverts the matrix of the benchmark", async () => {
    if (typeof program === "string") return;
    for (const n of [32, 64, 96, 256]) {
      const answer = await runNative(program, n, 1);
      expect(answer.residual).toBeLessThan(1e-5);
      expect(answer.logDeterminant).toBeCloseTo(logDeterminant(n), 4);
      expect(answer.gigaflops).toBeGreaterThan(0);
    }
  });

  test("says that the compiler is missing", async () => {
    vi.stubEnv("CC", "no-such-compiler");
    const said: string[] = [];
    expect(await measureNative(1, (text) => void said.push(text))).toBeNull();
    expect(said).toEqual([
      "native code gives no figures: there is no no-such-compiler (the variable CC names another).",
    ]);
  });
});
