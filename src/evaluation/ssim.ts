/**
 * Structural similarity of pixels from 0 to 1 (Wang, Bovik, Sheikh & Simoncelli 2004, eq. 13):
 *
 *            (2 μ_a μ_b + C₁) (2 σ_ab + C₂)
 *   SSIM = ───────────────────────────────────, averaged over all places of the window
 *          (μ_a² + μ_b² + C₁) (σ_a² + σ_b² + C₂)
 *
 *   symbol      meaning
 *   a, b        the two images
 *   μ, σ², σ_ab means, variances and covariance in an 11×11 window with Gaussian weights of
 *               standard deviation 1.5 and sum 1
 *   C₁, C₂      (K₁ L)², (K₂ L)² with K₁ = 0.01, K₂ = 0.03 and the range L = 1
 *
 * Cost: 88 multiplications per pixel, since the window is separable; memory for 44 rows.
 */
import { expected } from "../errors.js";
import { type GreyPixels, requirePixels, requireSameSize } from "../images/grey-image.js";
import { extendByReflection } from "../images/reflection.js";
import { portableExp } from "../numbers/exponential.js";
import { square } from "../numbers/square.js";
import { requireRoom } from "../patches/image-patches.js";
import { checkFields } from "../transforms/checks.js";

export type SsimBorder = "leave out" | "reflect";

export interface SsimOptions {
  /**
   * Treatment of places where the window reaches beyond the image: "leave out", the default, skips
   * them, as Wang's program does; "reflect" extends the images by reflection, and accepts any size.
   */
  readonly border?: SsimBorder;
}

const reach = 5;
const size = 2 * reach + 1;
const [c1, c2] = [square(0.01), square(0.03)];
/** The moments a, b, a² + b², ab: only the sum of the variances is needed. */
const moments = 4;

const window = gaussianWindow(1.5);
/** One half of the symmetric window. Sums below are written out: twice as fast as loops. */
const [w0, w1, w2, w3, w4, w5] = window;

/** Returns the similarity, from −1 to 1; it is 1 only for equal images. */
export function ssim(
  image: GreyPixels,
  reference: GreyPixels,
  { border = "leave out", ...others }: SsimOptions = {},
): number {
  checkFields("the options", { border, ...others }, ["border"]);
  requirePixels(image, "the image");
  requirePixels(reference, "the reference");
  requireSameSize(image, reference);
  switch (border) {
    case "leave out":
      requireRoom(image, "the image", size);
      return meanSimilarity(image, reference);
    case "reflect": {
      const margins = { left: reach, top: reach, right: reach, bottom: reach };
      const [a, b] = [image, reference].map((each) => extendByReflection(each, margins));
      return meanSimilarity(a, b);
    }
    default:
      throw expected("border", 'be "leave out" or "reflect"', border);
  }
}

function gaussianWindow(sigma: number): Float64Array {
  const weights = Float64Array.from({ length: size }, (_, k) =>
    portableExp(-0.5 * square((k - reach) / sigma)),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Works row by row, and keeps the weighted moments of the rows under the window. */
function meanSimilarity(a: GreyPixels, b: GreyPixels): number {
  const places = a.width - size + 1;
  const rows = Array.from({ length: size }, () => new Float64Array(moments * places));
  const inWindow = new Float64Array(moments * places);
  const products = new Float64Array(moments * a.width);
  let sum = 0;
  for (let y = 0; y < a.height; y++) {
    multiplyRow(a, b, y, products);
    weighRow(products, a.width, rows[y % size], places);
    if (y < size - 1) continue;
    weighColumns(
      Array.from({ length: size }, (_, k) => rows[(y + 1 + k) % size]),
      inWindow,
    );
    sum += sumOfSimilarities(inWindow, places);
  }
  return sum / (places * (a.height - size + 1));
}

function multiplyRow(a: GreyPixels, b: GreyPixels, y: number, products: Float64Array): void {
  const { width } = a;
  for (let x = 0; x < width; x++) {
    const [p, q] = [a.pixels[y * width + x], b.pixels[y * width + x]];
    products[x] = p;
    products[width + x] = q;
    products[2 * width + x] = p * p + q * q;
    products[3 * width + x] = p * q;
  }
}

function weighRow(
  products: Float64Array,
  width: number,
  weighed: Float64Array,
  places: number,
): void {
  for (let m = 0; m < moments; m++) {
    for (let x = 0, at = m * width; x < places; x++, at++) {
      weighed[m * places + x] =
        w0 * products[at] +
        w1 * products[at + 1] +
        w2 * products[at + 2] +
        w3 * products[at + 3] +
        w4 * products[at + 4] +
        w5 * products[at + 5] +
        w4 * products[at + 6] +
        w3 * products[at + 7] +
        w2 * products[at + 8] +
        w1 * products[at + 9] +
        w0 * products[at + 10];
    }
  }
}

/** Weighs eleven rows by the column of the window. */
function weighColumns(rows: readonly Float64Array[], sums: Float64Array): void {
  const [r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10] = rows;
  for (let k = 0; k < sums.length; k++) {
    sums[k] =
      w0 * r0[k] +
      w1 * r1[k] +
      w2 * r2[k] +
      w3 * r3[k] +
      w4 * r4[k] +
      w5 * r5[k] +
      w4 * r6[k] +
      w3 * r7[k] +
      w2 * r8[k] +
      w1 * r9[k] +
      w0 * r10[k];
  }
}

function sumOfSimilarities(inWindow: Float64Array, places: number): number {
  let sum = 0;
  for (let x = 0; x < places; x++) {
    const [muA, muB] = [inWindow[x], inWindow[places + x]];
    const [squares, product] = [muA * muA + muB * muB, muA * muB];
    const variances = inWindow[2 * places + x] - squares;
    const covariance = inWindow[3 * places + x] - product;
    sum += ((2 * product + c1) * (2 * covariance + c2)) / ((squares + c1) * (variances + c2));
  }
  return sum;
}
