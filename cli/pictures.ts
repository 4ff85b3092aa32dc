/** Crops, enlarges, shrinks and arranges pictures for reports and comparisons. */
import type { GreyImage } from "../src/images/grey-image.js";

export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function cropped(image: GreyImage, { left, top, width, height }: Region): GreyImage {
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const start = (top + row) * image.width + left;
    pixels.set(image.pixels.subarray(start, start + width), row * width);
  }
  return { width, height, pixels };
}

/** Enlarges each pixel to zoom×zoom. */
export function enlarged({ width, height, pixels }: GreyImage, zoom: number): GreyImage {
  const wide = width * zoom;
  const result = new Float32Array(wide * height * zoom);
  for (let row = 0; row < height * zoom; row++) {
    for (let column = 0; column < wide; column++) {
      const from = Math.floor(row / zoom) * width + Math.floor(column / zoom);
      result[row * wide + column] = pixels[from];
    }
  }
  return { width: wide, height: height * zoom, pixels: result };
}

/** Shrinks a picture: each pixel is the mean of a rectangle, which avoids aliasing. */
export function shrunk(image: GreyImage, width: number, height: number): GreyImage {
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const rows = span(row, height, image.height);
    for (let column = 0; column < width; column++) {
      const columns = span(column, width, image.width);
      let sum = 0;
      for (let y = rows.from; y < rows.to; y++) {
        for (let x = columns.from; x < columns.to; x++) sum += image.pixels[y * image.width + x];
      }
      const count = (rows.to - rows.from) * (columns.to - columns.from);
      pixels[row * width + column] = sum / count;
    }
  }
  return { width, height, pixels };
}

function span(k: number, count: number, length: number): { from: number; to: number } {
  const from = Math.floor((k * length) / count);
  return { from, to: Math.max(from + 1, Math.floor(((k + 1) * length) / count)) };
}

/** Arranges uncut pictures in rows of `width` pixels, each row of one height. */
export function gallery(
  pictures: readonly GreyImage[],
  width: number,
  perRow: number,
  gap: number,
): GreyImage {
  const rows: GreyImage[] = [];
  for (let first = 0; first < pictures.length; first += perRow) {
    rows.push(galleryRow(pictures.slice(first, first + perRow), width, gap));
  }
  const height = rows.reduce((sum, row) => sum + row.height + gap, -gap);
  const pixels = new Float32Array(width * height).fill(1);
  let top = 0;
  for (const row of rows) {
    pixels.set(row.pixels, top * width);
    top += row.height + gap;
  }
  return { width, height, pixels };
}

function galleryRow(pictures: readonly GreyImage[], width: number, gap: number): GreyImage {
  const room = width - gap * (pictures.length - 1);
  const shapes = pictures.map((picture) => picture.width / picture.height);
  const all = shapes.reduce((sum, shape) => sum + shape, 0);
  const height = Math.round(room / all);
  const pixels = new Float32Array(width * height).fill(1);
  let [before, left] = [0, 0];
  pictures.forEach((picture, k) => {
    before += shapes[k];
    const right = Math.round((room * before) / all) + gap * k;
    const small = shrunk(picture, right - left, height);
    for (let row = 0; row < height; row++) {
      const values = small.pixels.subarray(row * small.width, (row + 1) * small.width);
      pixels.set(values, row * width + left);
    }
    left = right + gap;
  });
  return { width, height, pixels };
}
