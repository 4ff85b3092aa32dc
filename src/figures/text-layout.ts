/** Layout of text without a browser: widths are estimates for a typical, rather wide sans-serif. */

const narrow = "iljtfrI.,:;'|!()[]/ ·";
const wide = "mwMW@%—";

/** Width in pixels of a line of text at a size of `fontSize` pixels. */
export function textWidth(text: string, fontSize: number): number {
  let ems = 0;
  for (const letter of text) ems += widthInEms(letter);
  return ems * fontSize;
}

function widthInEms(letter: string): number {
  if (narrow.includes(letter)) return 0.34;
  if (wide.includes(letter)) return 0.9;
  return /\p{Lu}/u.test(letter) ? 0.68 : 0.56;
}

/** Breaks a text between words into lines of at most `width` pixels; longer words stay whole. */
export function wrapText(text: string, width: number, fontSize: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, fontSize) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Places items in rows of at most `width`; returns the row and the left edge of each. */
export function flowInRows(
  widths: readonly number[],
  width: number,
  gap: number,
): { readonly row: number; readonly left: number }[] {
  let [row, right] = [0, 0];
  return widths.map((itemWidth) => {
    if (right > 0 && right + itemWidth > width) [row, right] = [row + 1, 0];
    const left = right;
    right += itemWidth + gap;
    return { row, left };
  });
}

/** Moves heights at least `distance` apart, within [top, bottom] if they fit, in the same order. */
export function spreadApart(
  wanted: readonly number[],
  distance: number,
  top: number,
  bottom: number,
): number[] {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const placed = [...wanted];
  let lowest = top;
  for (const k of order) {
    placed[k] = Math.max(wanted[k], lowest);
    lowest = placed[k] + distance;
  }
  let highest = bottom;
  for (const k of order.reverse()) {
    placed[k] = Math.min(placed[k], highest);
    highest = placed[k] - distance;
  }
  return placed;
}
