/**
 * Stages of Stockham's Fourier transform for small radices: each removes a factor p from the length
 * and keeps the order, so that no bit reversal is needed (Van Loan 1992, "Computational frameworks
 * for the fast Fourier transform", §1.7).
 *
 *   y_{q + s(pk + r)} = ω^{kr} Σ_j e^{−2πi jr/p} x_{q + s(k + mj)},   ω = e^{−2πi/(pm)}
 *
 *   symbol  variable      range
 *   p       radix
 *   k       k             0 … m − 1
 *   j, r    –             0 … p − 1
 *   q       q             0 … s − 1: transforms side by side, so that the innermost loop reads
 *                         neighbours
 *   ω^{kr}  turns         (p − 1) pairs of cosine and sine for each k, r = 1 … p − 1
 *
 * A stage reads x and writes y, which must be different arrays. Every number has its own variable:
 * with destructured lists these loops were five times slower in Node 20.
 */
import { unitRoot } from "../numbers/unit-root.js";
import type { ComplexArray, Stage } from "./complex-array.js";
import { oddStage } from "./odd-stage.js";

const kernels = new Map([
  [2, stageOf2],
  [3, stageOf3],
  [4, stageOf4],
  [5, stageOf5],
]);

/** Returns the stage of a small radix p, for m and s as above. */
export function butterflyStage(p: number, m: number, s: number): Stage {
  const turns = turnsOf(p, m);
  const stage = kernels.get(p);
  if (!stage) return oddStage(p, turns, m, s);
  return (x, y) => {
    stage(x, y, turns, m, s);
  };
}

/** Returns ω^{kr} for r = 1 … p − 1 of each k. */
function turnsOf(p: number, m: number): Float64Array {
  const turns = new Float64Array(2 * m * (p - 1));
  let at = 0;
  for (let k = 0; k < m; k++) {
    for (let r = 1; r < p; r++) {
      const { cosine, sine } = unitRoot(k * r, p * m);
      turns[at++] = cosine;
      turns[at++] = -sine;
    }
  }
  return turns;
}

function stageOf2(x: ComplexArray, y: ComplexArray, turns: Float64Array, m: number, s: number) {
  const xr = x.real;
  const xi = x.imaginary;
  const yr = y.real;
  const yi = y.imaginary;
  for (let k = 0; k < m; k++) {
    const c = turns[2 * k];
    const d = turns[2 * k + 1];
    for (let q = 0; q < s; q++) {
      const from = s * k + q;
      const to = 2 * s * k + q;
      const ar = xr[from];
      const ai = xi[from];
      const br = xr[from + s * m];
      const bi = xi[from + s * m];
      yr[to] = ar + br;
      yi[to] = ai + bi;
      const er = ar - br;
      const ei = ai - bi;
      yr[to + s] = er * c - ei * d;
      yi[to + s] = er * d + ei * c;
    }
  }
}

const sineOf60Degrees = unitRoot(1, 6).sine;

function stageOf3(x: ComplexArray, y: ComplexArray, turns: Float64Array, m: number, s: number) {
  const xr = x.real;
  const xi = x.imaginary;
  const yr = y.real;
  const yi = y.imaginary;
  for (let k = 0; k < m; k++) {
    const c1 = turns[4 * k];
    const d1 = turns[4 * k + 1];
    const c2 = turns[4 * k + 2];
    const d2 = turns[4 * k + 3];
    for (let q = 0; q < s; q++) {
      const from = s * k + q;
      const to = 3 * s * k + q;
      const ar = xr[from];
      const ai = xi[from];
      const br = xr[from + s * m];
      const bi = xi[from + s * m];
      const cr = xr[from + 2 * s * m];
      const ci = xi[from + 2 * s * m];
      const sr = br + cr;
      const si = bi + ci;
      yr[to] = ar + sr;
      yi[to] = ai + si;
      const er = ar - 0.5 * sr;
      const ei = ai - 0.5 * si;
      const or = sineOf60Degrees * (bi - ci);
      const oi = sineOf60Degrees * (cr - br);
      yr[to + s] = (er + or) * c1 - (ei + oi) * d1;
      yi[to + s] = (er + or) * d1 + (ei + oi) * c1;
      yr[to + 2 * s] = (er - or) * c2 - (ei - oi) * d2;
      yi[to + 2 * s] = (er - or) * d2 + (ei - oi) * c2;
    }
  }
}

function stageOf4(x: ComplexArray, y: ComplexArray, turns: Float64Array, m: number, s: number) {
  const xr = x.real;
  const xi = x.imaginary;
  const yr = y.real;
  const yi = y.imaginary;
  const step = s * m;
  for (let k = 0; k < m; k++) {
    const c1 = turns[6 * k];
    const d1 = turns[6 * k + 1];
    const c2 = turns[6 * k + 2];
    const d2 = turns[6 * k + 3];
    const c3 = turns[6 * k + 4];
    const d3 = turns[6 * k + 5];
    for (let q = 0; q < s; q++) {
      const from = s * k + q;
      const to = 4 * s * k + q;
      const ar = xr[from];
      const ai = xi[from];
      const br = xr[from + step];
      const bi = xi[from + step];
      const cr = xr[from + 2 * step];
      const ci = xi[from + 2 * step];
      const dr = xr[from + 3 * step];
      const di = xi[from + 3 * step];
      const er = ar + cr;
      const ei = ai + ci;
      const fr = br + dr;
      const fi = bi + di;
      const gr = ar - cr;
      const gi = ai - ci;
      const hr = bi - di;
      const hi = dr - br;
      yr[to] = er + fr;
      yi[to] = ei + fi;
      yr[to + s] = (gr + hr) * c1 - (gi + hi) * d1;
      yi[to + s] = (gr + hr) * d1 + (gi + hi) * c1;
      yr[to + 2 * s] = (er - fr) * c2 - (ei - fi) * d2;
      yi[to + 2 * s] = (er - fr) * d2 + (ei - fi) * c2;
      yr[to + 3 * s] = (gr - hr) * c3 - (gi - hi) * d3;
      yi[to + 3 * s] = (gr - hr) * d3 + (gi - hi) * c3;
    }
  }
}

const fifth = unitRoot(1, 5);
const twoFifths = unitRoot(2, 5);

function stageOf5(x: ComplexArray, y: ComplexArray, turns: Float64Array, m: number, s: number) {
  const xr = x.real;
  const xi = x.imaginary;
  const yr = y.real;
  const yi = y.imaginary;
  const step = s * m;
  const u1 = fifth.cosine;
  const v1 = fifth.sine;
  const u2 = twoFifths.cosine;
  const v2 = twoFifths.sine;
  for (let k = 0; k < m; k++) {
    const c1 = turns[8 * k];
    const d1 = turns[8 * k + 1];
    const c2 = turns[8 * k + 2];
    const d2 = turns[8 * k + 3];
    const c3 = turns[8 * k + 4];
    const d3 = turns[8 * k + 5];
    const c4 = turns[8 * k + 6];
    const d4 = turns[8 * k + 7];
    for (let q = 0; q < s; q++) {
      const from = s * k + q;
      const to = 5 * s * k + q;
      const ar = xr[from];
      const ai = xi[from];
      const b1 = xr[from + step];
      const i1 = xi[from + step];
      const b2 = xr[from + 2 * step];
      const i2 = xi[from + 2 * step];
      const b3 = xr[from + 3 * step];
      const i3 = xi[from + 3 * step];
      const b4 = xr[from + 4 * step];
      const i4 = xi[from + 4 * step];
      const pr = b1 + b4;
      const pi = i1 + i4;
      const tr = b1 - b4;
      const ti = i1 - i4;
      const qr = b2 + b3;
      const qi = i2 + i3;
      const wr = b2 - b3;
      const wi = i2 - i3;
      yr[to] = ar + pr + qr;
      yi[to] = ai + pi + qi;
      const er = ar + u1 * pr + u2 * qr;
      const ei = ai + u1 * pi + u2 * qi;
      const fr = ar + u2 * pr + u1 * qr;
      const fi = ai + u2 * pi + u1 * qi;
      const gr = v1 * ti + v2 * wi;
      const gi = -(v1 * tr + v2 * wr);
      const hr = v2 * ti - v1 * wi;
      const hi = v1 * wr - v2 * tr;
      yr[to + s] = (er + gr) * c1 - (ei + gi) * d1;
      yi[to + s] = (er + gr) * d1 + (ei + gi) * c1;
      yr[to + 2 * s] = (fr + hr) * c2 - (fi + hi) * d2;
      yi[to + 2 * s] = (fr + hr) * d2 + (fi + hi) * c2;
      yr[to + 3 * s] = (fr - hr) * c3 - (fi - hi) * d3;
      yi[to + 3 * s] = (fr - hr) * d3 + (fi - hi) * c3;
      yr[to + 4 * s] = (er - gr) * c4 - (ei - gi) * d4;
      yi[to + 4 * s] = (er - gr) * d4 + (ei - gi) * c4;
    }
  }
}
