import type { Grid } from "../evaluation/histogram-2d.js";
import { portableLog } from "../numbers/logarithm.js";

export type Place = readonly [x: number, y: number];

/** Lines smaller than this number of cells are dropped. */
const speckCells = 4;

/** The contour lines of a density at all levels, without specks. */
export function contourLines(grid: Grid, levels: readonly number[]): Place[][] {
  return levels.flatMap((level) => isoLines(grid, level)).filter((line) => !isSpeck(line, grid));
}

/** Whether a line spans a few cells only: one or two stray values in a tail. */
function isSpeck(line: readonly Place[], { width, from, to }: Grid): boolean {
  const extents = [0, 1].map((axis) => {
    const values = line.map((place) => place[axis]);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  });
  return Math.max(...extents) < (speckCells * (to - from)) / width;
}

/**
 * Lines where a density on a grid crosses a level, by marching squares between the centres of the
 * cells. A closed line repeats its start; an open line ends at the border of the grid.
 */
export function isoLines(grid: Grid, level: number): Place[][] {
  const neighbours = crossedEdges(grid, level);
  const lines: Place[][] = [];
  const isSeen = new Set<number>();
  const follow = (first: number): void => {
    const edges = walk(neighbours, first, isSeen);
    lines.push(edges.map((edge) => crossing(grid, level, edge)));
  };
  // Open lines first, from their ends; the rest are closed.
  for (const [edge, next] of neighbours) if (next.length === 1 && !isSeen.has(edge)) follow(edge);
  for (const edge of neighbours.keys()) if (!isSeen.has(edge)) follow(edge);
  return lines;
}

/** Numbers of edges: 2p from point p to the right, 2p + 1 upwards. */
type Neighbours = Map<number, number[]>;

function crossedEdges(grid: Grid, level: number): Neighbours {
  const { width, height } = grid;
  const neighbours: Neighbours = new Map();
  const link = (a: number, b: number): void => {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ]) {
      const known = neighbours.get(from);
      if (known) known.push(to);
      else neighbours.set(from, [to]);
    }
  };
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      for (const [a, b] of segmentsOf(grid, level, row * width + column)) link(a, b);
    }
  }
  return neighbours;
}

/** The line segments in the square with lower left corner p, as pairs of edges. */
function segmentsOf({ width, values }: Grid, level: number, p: number): [number, number][] {
  const corners = [p, p + 1, p + width + 1, p + width];
  const isAbove = corners.map((corner) => values[corner] >= level);
  const edges = [2 * p, 2 * (p + 1) + 1, 2 * (p + width), 2 * p + 1];
  const crossed = edges.filter((_, k) => isAbove[k] !== isAbove[(k + 1) % 4]);
  if (crossed.length === 0) return [];
  if (crossed.length === 2) return [[crossed[0], crossed[1]]];
  // A saddle: the mean decides which corners are connected.
  const middle = corners.reduce((sum, corner) => sum + values[corner], 0) / 4;
  const [bottom, right, top, left] = edges;
  return middle >= level === isAbove[0]
    ? [
        [bottom, right],
        [top, left],
      ]
    : [
        [left, bottom],
        [right, top],
      ];
}

function walk(neighbours: Neighbours, first: number, isSeen: Set<number>): number[] {
  const edges = [first];
  isSeen.add(first);
  for (let at = first; ;) {
    const next = neighbours.get(at)?.find((edge) => !isSeen.has(edge));
    if (next === undefined) break;
    isSeen.add(next);
    edges.push(next);
    at = next;
  }
  const isClosed = edges.length > 2 && neighbours.get(first)?.includes(edges[edges.length - 1]);
  return isClosed ? [...edges, first] : edges;
}

function crossing(grid: Grid, level: number, edge: number): Place {
  const { width, height, from, to, values } = grid;
  const p = edge >> 1;
  const isUpwards = edge % 2 === 1;
  const part = partOfWay(values[p], values[isUpwards ? p + width : p + 1], level);
  const column = (p % width) + (isUpwards ? 0 : part);
  const row = Math.floor(p / width) + (isUpwards ? part : 0);
  const along = (k: number, cells: number): number => from + ((to - from) * (k + 0.5)) / cells;
  return [along(column, width), along(row, height)];
}

/** Interpolates the logarithm of the density, which is more linear; densities of 0 linearly. */
function partOfWay(a: number, b: number, level: number): number {
  if (a <= 0 || b <= 0) return (level - a) / (b - a);
  return portableLog(level / a) / portableLog(b / a);
}
