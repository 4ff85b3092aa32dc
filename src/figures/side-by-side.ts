import type { GreyImage } from "../images/grey-image.js";

/** Pictures in a row on white, their tops aligned. */
export function sideBySide(pictures: readonly GreyImage[], gap = 8): GreyImage {
  const width = pictures.reduce((sum, picture) => sum + picture.width + gap, -gap);
  const height = pictures.reduce((most, picture) => Math.max(most, picture.height), 0);
  const pixels = new Float32Array(width * height).fill(1);
  let left = 0;
  for (const picture of pictures) {
    for (let row = 0; row < picture.height; row++) {
      const source = picture.pixels.subarray(row * picture.width, (row + 1) * picture.width);
      pixels.set(source, row * width + left);
    }
    left += picture.width + gap;
  }
  return { width, height, pixels };
}
