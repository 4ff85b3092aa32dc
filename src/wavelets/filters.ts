/**
 * Low-pass filters h of orthonormal wavelets (Daubechies 1992):
 *
 *   Σ_i h_i h_{i+2k} = δ_k,   Σ_i h_i = √2,   high-pass g_i = (−1)^i h_{L−1−i}
 *
 * "haar" has two coefficients; "symlet8" has 16, eight vanishing moments, and of all such filters the phase nearest to a straight
 * line (Daubechies 1992, §8.1). Its coefficients are spectral factors found with 60 digits, scripts/wavelet-filters.py.
 */
const lowPass = {
  haar: [Math.SQRT1_2, Math.SQRT1_2],
  symlet8: [
    0.001889950332767689, -0.0003029205147241331, -0.014952258337062199, 0.0038087520138944896,
    0.04913717967373029, -0.027219029917103486, -0.0519458381078818, 0.36444189483617895,
    0.777185751699628, 0.4813596512590534, -0.061273359067811076, -0.14329423835127267,
    0.007607487324976609, 0.03169508781152599, -0.0005421323318000107, -0.0033824159510050028,
  ],
} as const;

export type WaveletName = keyof typeof lowPass;

export const waveletNames = Object.keys(lowPass) as readonly WaveletName[];

/** Low-pass h and high-pass g, of the same even length. */
export interface WaveletFilters {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export function waveletFilters(name: WaveletName): WaveletFilters {
  const low = Float64Array.from(lowPass[name]);
  const high = low.map((_, i) => (i % 2 === 0 ? 1 : -1) * low[low.length - 1 - i]);
  return { low, high };
}
