/**
 * Colours of the likelihood map, from likely (dark) to surprising (bright): samples of matplotlib's
 * inferno, whose lightness increases evenly.
 */
const anchors: readonly (readonly [red: number, green: number, blue: number])[] = [
  [0, 0, 4],
  [40, 11, 84],
  [101, 21, 110],
  [159, 42, 99],
  [212, 72, 66],
  [245, 125, 21],
  [250, 193, 39],
  [252, 255, 164],
];

/** Writes the colour of a value from 0 to 1 into four bytes. */
export function writeColour(part: number, rgba: Uint8ClampedArray, at: number): void {
  const place = Math.min(1, Math.max(0, part)) * (anchors.length - 1);
  const k = Math.min(anchors.length - 2, Math.floor(place));
  for (let c = 0; c < 3; c++) {
    rgba[at + c] = anchors[k][c] + (place - k) * (anchors[k + 1][c] - anchors[k][c]);
  }
  rgba[at + 3] = 255;
}
