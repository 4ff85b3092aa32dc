/** Twenty drawn and scan-like pictures, unlike the photographs that priors were fitted to. */
import { deadLeaves } from "../../src/images/dead-leaves.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";

/** A grey value from 0 to 1 at column x of row y. */
type Painter = (x: number, y: number) => number;

const ink = 0.1;
const paper = 0.95;
const inked = (isInk: boolean): number => (isInk ? ink : paper);

/** A word-like row of glyphs: strokes on a grid of 3×5 cells of 2 pixels, at random. */
function text(random: RandomStream, background: number, foreground: number): Painter {
  const glyphs = Array.from({ length: 26 }, () =>
    Array.from({ length: 15 }, () => random.uniform() < 0.55),
  );
  const letters = Array.from({ length: 4096 }, () => random.integer(31));
  return (x, y) => {
    const [column, row] = [Math.floor(x / 8), Math.floor(y / 14)];
    const [i, j] = [Math.floor((x % 8) / 2), Math.floor((y % 14) / 2)];
    const letter = letters[(64 * row + column) % letters.length];
    // Five of 31 letters are spaces.
    const isStroke = i < 3 && j < 5 && letter < glyphs.length && glyphs[letter][3 * j + i];
    return isStroke ? foreground : background;
  };
}

/** Distance of (x, y) from the segment between two points. */
function distance(x: number, y: number, [a, b, c, d]: readonly number[]): number {
  const [dx, dy] = [c - a, d - b];
  const t = Math.max(0, Math.min(1, ((x - a) * dx + (y - b) * dy) / (dx * dx + dy * dy + 1e-9)));
  return Math.sqrt((x - a - t * dx) ** 2 + (y - b - t * dy) ** 2);
}

/** Thin lines between random points, with soft edges. */
function lines(random: RandomStream, side: number): Painter {
  const segments = Array.from({ length: 14 }, () =>
    Array.from({ length: 4 }, () => side * random.uniform()),
  );
  return (x, y) => {
    const nearest = Math.min(...segments.map((segment) => distance(x, y, segment)));
    return ink + (paper - ink) * Math.max(0, Math.min(1, nearest - 0.5));
  };
}

/** Stars of all magnitudes on a dark sky. */
function stars(random: RandomStream, side: number): Painter {
  const all = Array.from({ length: Math.ceil((side * side) / 300) }, () => ({
    x: side * random.uniform(),
    y: side * random.uniform(),
    light: 1 / (1 + 30 * random.uniform()),
  }));
  return (x, y) => {
    const light = all.reduce((sum, star) => {
      const far = (x - star.x) ** 2 + (y - star.y) ** 2;
      return far > 25 ? sum : sum + star.light * Math.exp(-far / 1.6);
    }, 0.04);
    return Math.min(1, light);
  };
}

function barChart(random: RandomStream, side: number): Painter {
  const heights = Array.from({ length: 8 }, () => side * (0.15 + 0.7 * random.uniform()));
  return (x, y) => {
    const bar = Math.floor((8 * x) / side);
    const isGap = ((8 * x) / side) % 1 > 0.7;
    if (y % 32 === 31) return 0.6;
    return isGap || side - y > heights[bar] ? 1 : 0.25 + 0.08 * bar;
  };
}

function lineChart(random: RandomStream, side: number): Painter {
  const values: number[] = [side / 2];
  for (let x = 1; x < side; x++) {
    values.push(Math.max(8, Math.min(side - 8, values[x - 1] + 6 * (random.uniform() - 0.5))));
  }
  return (x, y) => (Math.abs(y - values[x]) < 1.5 ? 0.2 : x % 32 === 0 || y % 32 === 0 ? 0.8 : 1);
}

function blocks(random: RandomStream, size: number, values: readonly number[]): Painter {
  const cells = Array.from({ length: 4096 }, () => values[random.integer(values.length)]);
  return (x, y) => cells[(Math.floor(y / size) * 64 + Math.floor(x / size)) % cells.length];
}

/** Names and painters; each gets a random stream of its own. */
const painters: Readonly<Record<string, (random: RandomStream, side: number) => Painter>> = {
  constant: () => () => 0.5,
  "linear gradient": (_random, side) => (x, y) => 0.1 + (0.4 * (x + y)) / side,
  "radial gradient": (_random, side) => (x, y) =>
    Math.max(0, 1 - Math.sqrt((x - side / 2) ** 2 + (y - side / 2) ** 2) / side),
  "grey steps": (_random, side) => (x) => Math.floor((8 * x) / side) / 8 + 0.05,
  text: (random) => text(random, paper, ink),
  "text on black": (random) => text(random, 0, 1),
  "faint text": (random) => text(random, 0.8, 0.65),
  "line drawing": lines,
  "wide stripes": () => (x) => inked(x % 16 < 8),
  "fine stripes": () => (x) => inked(x % 4 < 2),
  "diagonal stripes": () => (x, y) => inked((x + y) % 10 < 5),
  checkerboard: () => (x, y) => inked((Math.floor(x / 8) + Math.floor(y / 8)) % 2 === 0),
  "fine checkerboard": () => (x, y) => inked((Math.floor(x / 2) + Math.floor(y / 2)) % 2 === 0),
  "star field": stars,
  "bar chart": barChart,
  "line chart": lineChart,
  "matrix code": (random) => blocks(random, 4, [0, 1]),
  halftone: (_random, side) => (x, y) => {
    const [dx, dy] = [(x % 6) - 2.5, (y % 6) - 2.5];
    return inked(dx * dx + dy * dy < 1 + (8 * x) / side);
  },
  "zone plate": (_random, side) => (x, y) => 0.5 + 0.45 * Math.cos((1.2 * (x * x + y * y)) / side),
  leaves: (random, side) => {
    const { pixels } = deadLeaves(random, { width: side, height: side });
    return (x, y) => pixels[y * side + x];
  },
};

export const unusualNames: readonly string[] = Object.keys(painters);

/** Returns a picture of side×side pixels, the same for the same seed. */
export function unusualPicture(name: string, side: number, seed: number | string): GreyImage {
  const valueAt = painters[name](createRandom(seed, "unusual picture", name), side);
  const pixels = Float32Array.from({ length: side * side }, (_, k) =>
    valueAt(k % side, Math.floor(k / side)),
  );
  return { width: side, height: side, pixels };
}
