/** Shapes of the marks on lines: what colours tell apart, these do too, in print without colours. */

type Corner = readonly [x: number, y: number];

/** What Plot draws on, as far as it is needed here. */
interface PathContext {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  closePath(): void;
}

/** Corners for a mark of radius 1, of about the area of a circle of that radius; a circle has none. */
const shapes: readonly (readonly Corner[])[] = [
  [],
  square(0.9),
  [
    [0, -1.35],
    [1.2, 0.8],
    [-1.2, 0.8],
  ],
  [
    [0, -1.35],
    [1.35, 0],
    [0, 1.35],
    [-1.35, 0],
  ],
  [
    [0, 1.35],
    [1.2, -0.8],
    [-1.2, -0.8],
  ],
];

function square(half: number): Corner[] {
  return [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
  ];
}

/** The mark of series k as a symbol of Plot, whose size is the area of a circle. */
export function markSymbol(k: number): { draw: (context: PathContext, size: number) => void } {
  const corners = shapes[k % shapes.length];
  return {
    draw: (context, size) => {
      const radius = Math.sqrt(size / Math.PI);
      corners.forEach(([x, y], c) => {
        if (c === 0) context.moveTo(x * radius, y * radius);
        else context.lineTo(x * radius, y * radius);
      });
      if (corners.length === 0) {
        context.moveTo(radius, 0);
        context.arc(0, 0, radius, 0, 2 * Math.PI);
      }
      context.closePath();
    },
  };
}

/** The same around (0, 0), as the path of an SVG. */
export function markPath(k: number, radius: number): string {
  const corners = shapes[k % shapes.length];
  if (corners.length === 0) {
    const half = `a${radius},${radius},0,1,1,`;
    return `M${radius},0${half}${-2 * radius},0${half}${2 * radius},0Z`;
  }
  const rounded = (value: number): number => Math.round(1000 * value * radius) / 1000;
  return `M${corners.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join("L")}Z`;
}
