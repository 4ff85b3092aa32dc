import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";

/** An N×N matrix of non-negative weights: 0 is white, the largest black; square roots, so that small ones show. */
export function matrixImage(matrix: ArrayLike<number>, n: number, zoom = 1): GreyImage {
  if (matrix.length !== n * n) throw expected("the matrix", `hold ${n * n} values`, matrix.length);
  let largest = 0;
  for (let k = 0; k < matrix.length; k++) largest = Math.max(largest, matrix[k]);
  const side = n * zoom;
  const pixels = new Float32Array(side * side);
  for (let row = 0; row < side; row++) {
    const i = Math.floor(row / zoom);
    for (let column = 0; column < side; column++) {
      const weight = matrix[i * n + Math.floor(column / zoom)];
      pixels[row * side + column] = 1 - Math.sqrt(weight / (largest || 1));
    }
  }
  return { width: side, height: side, pixels };
}
