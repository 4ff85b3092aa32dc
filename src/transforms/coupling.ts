/**
 * Affine coupling (Dinh, Sohl-Dickstein & Bengio 2017): shifts and scales one half of the
 * components by functions of the other half. Unlike a divisive pool, it sees signs.
 *
 *   y_A = x_A,   y_B = (x_B − m) e^{−s}
 *   (m, t) = φ(φ(x_A U + c) V + d) W + e,   s = S t / √(1 + t²),   φ(u) = (u + √(1 + u²)) / 2
 *
 *   symbol  field            values
 *   A       given            "even" or "odd": the components in A; B are the others
 *   S       largestLogScale  1, > 0: |s| < S
 *   U, c    inputWeights, inputBias      a×h, h    a components in A, h hidden units
 *   V, d    hiddenWeights, hiddenBias    h×h, h
 *   W, e    outputWeights, outputBias    h×2b, 2b  b components in B: m, then t
 *
 * The inverse is x_B = y_B e^s + m, and log |det ∂y/∂x| = −Σ s. φ is a smooth rectifier; it and s
 * need only roots, which have the same bits on every engine.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import {
  type Checked,
  type Unchecked,
  checkDimension,
  checkFields,
  finiteCopy,
  trusted,
} from "./checks.js";

export type Half = "even" | "odd";

/** Parameter groups in the order of files, with their places in the network. */
export const couplingGroups = [
  "inputWeights",
  "inputBias",
  "hiddenWeights",
  "hiddenBias",
  "outputWeights",
  "outputBias",
] as const;

/** Whether a parameter group belongs to the network of a coupling. */
export function isCouplingGroup(name: string): boolean {
  return (couplingGroups as readonly string[]).includes(name);
}

type Groups<T> = Readonly<Record<(typeof couplingGroups)[number], T>>;

export interface CouplingShape {
  readonly dimension: number;
  /** Number of units h in each of the two hidden layers. */
  readonly hidden: number;
  /** Half of the components that stays unchanged, A. */
  readonly given: Half;
}

export interface Coupling extends Checked, CouplingShape, Groups<FloatArray> {
  readonly kind: "coupling";
}

export interface CouplingInput extends CouplingShape, Groups<ArrayLike<number>> {}

/** Bound S of the logarithms of the scales: e^0.7 is about 2. */
export const largestLogScale = 0.7;
/** Most hidden units. */
const mostHidden = 4096;

/** Returns the indices of the components that stay, A, and of those that change, B. */
export function componentsGiven({ dimension, given }: Omit<CouplingShape, "hidden">) {
  const every = (first: number): Int32Array =>
    Int32Array.from({ length: Math.ceil((dimension - first) / 2) }, (_, i) => 2 * i + first);
  const [even, odd] = [every(0), every(1)];
  return given === "even" ? { kept: even, changed: odd } : { kept: odd, changed: even };
}

/** Returns the shapes of the parameter groups. */
export function couplingShapes(shape: CouplingShape) {
  const { hidden } = shape;
  const { kept, changed } = componentsGiven(shape);
  return {
    inputWeights: [kept.length, hidden],
    inputBias: [hidden],
    hiddenWeights: [hidden, hidden],
    hiddenBias: [hidden],
    outputWeights: [hidden, 2 * changed.length],
    outputBias: [2 * changed.length],
  } as const satisfies Groups<readonly number[]>;
}

/** Returns the numbers of values of the parameter groups. */
export function couplingLengths(shape: CouplingShape): Groups<number> {
  const shapes = Object.entries(couplingShapes(shape));
  const lengths = shapes.map(([name, sizes]) => [name, sizes.reduce<number>((a, b) => a * b, 1)]);
  return Object.fromEntries(lengths) as Groups<number>;
}

/**
 * Returns a checked coupling. It holds copies, which must not be changed.
 *
 * @example
 * ```js
 * import { coupling } from "gaussianize/transforms";
 *
 * const stage = coupling({
 *   dimension: 2,
 *   hidden: 1,
 *   given: "even",
 *   inputWeights: [1],
 *   inputBias: [0],
 *   hiddenWeights: [1],
 *   hiddenBias: [0],
 *   outputWeights: [0.5, 0],
 *   outputBias: [0, 0],
 * });
 * console.log(stage.kind); // coupling
 * ```
 */
export function coupling(input: CouplingInput): Coupling {
  const fields = ["kind", "dimension", "hidden", "given", ...couplingGroups];
  checkFields("the parameters of a coupling", input, fields);
  const { dimension, hidden, given } = input;
  checkCouplingShape(input);
  const lengths = couplingLengths(input);
  const take = (name: keyof typeof lengths): FloatArray =>
    finiteCopy(name, input[name], { length: lengths[name] });
  const made: Unchecked<Coupling> = {
    kind: "coupling",
    dimension,
    hidden,
    given,
    inputWeights: take("inputWeights"),
    inputBias: take("inputBias"),
    hiddenWeights: take("hiddenWeights"),
    hiddenBias: take("hiddenBias"),
    outputWeights: take("outputWeights"),
    outputBias: take("outputBias"),
  };
  return trusted<Coupling>(made);
}

/** Requires a shape of at least one kept and one changed component. */
export function checkCouplingShape({ dimension, hidden, given }: CouplingShape): void {
  checkDimension(dimension);
  if (dimension < 2) throw expected("dimension", "be at least 2 for a coupling", dimension);
  if (!Number.isInteger(hidden) || hidden < 1 || hidden > mostHidden) {
    throw expected("hidden", `be an integer from 1 to ${mostHidden}`, hidden);
  }
  const names: readonly unknown[] = ["even", "odd"];
  if (names.includes(given)) return;
  throw expected("given", 'be "even" or "odd"', given);
}
