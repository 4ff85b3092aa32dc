import { expectClose } from "./expect-close.js";

/** Draws are right on average: every mean within five of its standard errors, and each value draws at all. */
export async function expectRightOnAverage(
  rounds: number,
  draw: () => Promise<ArrayLike<number>>,
  expected: ArrayLike<number>,
): Promise<void> {
  const mean = new Float64Array(expected.length);
  const square = new Float64Array(expected.length);
  for (let k = 0; k < rounds; k += 1) {
    const values = await draw();
    for (let at = 0; at < mean.length; at += 1) {
      mean[at] += values[at] / rounds;
      square[at] += values[at] ** 2 / rounds;
    }
  }
  const error = mean.map((value, at) => Math.sqrt(Math.max(0, square[at] - value ** 2) / rounds));
  if (!error.some((value) => value > 1e-6)) throw new Error("all draws are the same");
  mean.forEach((value, at) => {
    // What does not vary is right to rounding.
    expectClose(value, expected[at], { absolute: 5 * error[at] + 1e-9 }, `mean ${at}`);
  });
}
