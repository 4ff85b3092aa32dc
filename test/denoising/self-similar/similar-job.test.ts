import { expect, test } from "vitest";
import { similarJob } from "../../../src/denoising/self-similar/similar-job.js";
import { expectClose } from "../../support/expect-close.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";

test("a task has the same sums in both precisions", async () => {
  const pixels = Float32Array.from({ length: 144 }, (_, k) => Math.sin(k * k));
  const task = {
    width: 12,
    height: 12,
    guide: pixels,
    noisy: pixels.map((value) => 1.5 * value),
    references: Int32Array.of(0, 40),
  };
  const settings = { size: 5, reach: 6, uncertainty: 0.1 };
  const run = async (runner: typeof simdRunner) =>
    (await runner.run(similarJob, settings, [{ task, transfer: [] }]))[0];
  const [fast, exact] = [await run(simdRunner), await run(referenceRunner)];
  expect(exact.values).toBeInstanceOf(Float64Array);
  expectClose(fast.values, exact.values, { relative: 1e-4, scale: 10 });
});
