/** Columns from `left` to before `right`, rows from `top` to before `bottom`. */
export interface GridRectangle {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns a function that sums over rectangles of a width×height grid, from four values of a table
 * (Crow 1984, "Summed-area tables for texture mapping"). `add` adds the value at column x of row y
 * to a sum; it is called once for each place, row by row.
 */
export function summedArea(
  width: number,
  height: number,
  add: (sum: number, x: number, y: number) => number,
): (rectangle: GridRectangle) => number {
  // Sums over everything above and to the left, with a row and a column of zeros.
  const side = width + 1;
  const sums = new Float64Array(side * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row = add(row, x, y);
      sums[(y + 1) * side + x + 1] = sums[y * side + x + 1] + row;
    }
  }
  return ({ left, right, top, bottom }) =>
    sums[bottom * side + right] -
    sums[bottom * side + left] -
    sums[top * side + right] +
    sums[top * side + left];
}
