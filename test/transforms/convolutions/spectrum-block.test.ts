import { expect, test } from "vitest";
import { createRandom } from "../../../src/random/random-stream.js";
import { type Convolution, convolution } from "../../../src/transforms/convolution.js";
import type { Frequency } from "../../../src/transforms/convolutions/frequencies.js";
import { spectraAt, tapSums } from "../../../src/transforms/convolutions/spectrum-block.js";
import { ConvolutionSpectrum } from "../../../src/transforms/convolutions/spectrum.js";
import { expectClose, largest } from "../../support/expect-close.js";
import { simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const { kernels } = simdRunner;
const grid = { width: 16, height: 12 };
const frequencies: readonly Frequency[] = [
  { u: 0, v: 0, weight: 1 },
  { u: 3, v: 5, weight: 2 },
];
/** With 81 taps, a product has 12,992 columns at most, and these have 16,384. */
const maps = 128;
const taps = { left: -4, top: -4, width: 9, height: 9 };
const weights = createRandom(seed, "spectrum-block").normalFill(new Float32Array(81 * maps ** 2));
const filters: Convolution = convolution({ maps, taps, weights });

test("spectra of many maps and taps are those of single frequencies", () => {
  const spectrum = new ConvolutionSpectrum(filters, grid);
  const { each } = spectraAt(kernels, filters, grid, frequencies);
  frequencies.forEach((frequency, k) => {
    const { real, imaginary } = spectrum.at(frequency);
    // Sums of 81 terms in Float32.
    expectClose(each[k].real, real, { absolute: 1e-5 * largest(real) });
    expectClose(each[k].imaginary, imaginary, { absolute: 1e-5 * largest(real) });
  });
});

test("sums over frequencies are the adjoint of the spectra", () => {
  const spectra = spectraAt(kernels, filters, grid, frequencies);
  const sums = tapSums(kernels, filters, grid, frequencies, spectra);
  const unweighted = frequencies.map((frequency) => ({ ...frequency, weight: 1 }));
  const plain = tapSums(kernels, filters, grid, unweighted.slice(0, 1), {
    ...spectra,
    all: spectra.all.subarray(0, 2 * maps ** 2),
  });
  // At frequency 0 every tap gets Re F̂(0).
  for (const tap of [0, 40, 80]) {
    const own = plain.subarray(tap * maps ** 2, (tap + 1) * maps ** 2);
    expect(Array.from(own)).toEqual(Array.from(spectra.each[0].real));
  }
  // Σ_q S_q·F_q = Σ_ω weight · Re Σ_q e^(iω·q) F̂(ω)·F_q = Σ_ω weight (|Re F̂|² − |Im F̂|²)
  const products = frequencies.map(({ weight }, k) => {
    const { real, imaginary } = spectra.each[k];
    return weight * (squares(real) - squares(imaginary));
  });
  let product = 0;
  for (let k = 0; k < sums.length; k++) product += sums[k] * weights[k];
  expectClose(product, products[0] + products[1], { relative: 1e-4 });
});

function squares(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k] * values[k];
  return sum;
}
