/**
 * Stage of butterflies.ts for any odd radix p, by the definition. Terms j and p − j are combined:
 * they have equal cosines and opposite sines, which halves the multiplications.
 */
import { unitRoot } from "../numbers/unit-root.js";
import type { Stage } from "./complex-array.js";

export function oddStage(p: number, turns: Float64Array, m: number, s: number): Stage {
  const half = (p - 1) / 2;
  const cosines = new Float64Array(half * half);
  const sines = new Float64Array(half * half);
  for (let r = 1; r <= half; r++) {
    for (let j = 1; j <= half; j++) {
      const { cosine, sine } = unitRoot(j * r, p);
      cosines[(r - 1) * half + j - 1] = cosine;
      sines[(r - 1) * half + j - 1] = sine;
    }
  }
  const terms = new Float64Array(4 * half);
  return ({ real: xr, imaginary: xi }, { real: yr, imaginary: yi }) => {
    for (let k = 0; k < m; k++) {
      for (let q = 0; q < s; q++) {
        const from = s * k + q;
        const to = p * s * k + q;
        const ar = xr[from];
        const ai = xi[from];
        let sumR = ar;
        let sumI = ai;
        for (let j = 0; j < half; j++) {
          const near = from + (j + 1) * s * m;
          const far = from + (p - 1 - j) * s * m;
          sumR += terms[4 * j] = xr[near] + xr[far];
          sumI += terms[4 * j + 1] = xi[near] + xi[far];
          terms[4 * j + 2] = xr[near] - xr[far];
          terms[4 * j + 3] = xi[near] - xi[far];
        }
        yr[to] = sumR;
        yi[to] = sumI;
        for (let r = 1; r <= half; r++) {
          let er = ar;
          let ei = ai;
          let or = 0;
          let oi = 0;
          for (let j = 0, at = (r - 1) * half; j < half; j++, at++) {
            const c = cosines[at];
            const d = sines[at];
            er += c * terms[4 * j];
            ei += c * terms[4 * j + 1];
            or += d * terms[4 * j + 3];
            oi -= d * terms[4 * j + 2];
          }
          const near = 2 * (k * (p - 1) + r - 1);
          const far = 2 * (k * (p - 1) + p - r - 1);
          const toNear = to + r * s;
          const toFar = to + (p - r) * s;
          yr[toNear] = (er + or) * turns[near] - (ei + oi) * turns[near + 1];
          yi[toNear] = (er + or) * turns[near + 1] + (ei + oi) * turns[near];
          yr[toFar] = (er - or) * turns[far] - (ei - oi) * turns[far + 1];
          yi[toFar] = (er - or) * turns[far + 1] + (ei - oi) * turns[far];
        }
      }
    }
  };
}
