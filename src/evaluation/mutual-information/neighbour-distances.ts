/**
 * The exact distance from every point of the plane to its k-th nearest neighbour in the maximum
 * norm, by a k-d tree (Bentley 1975; Friedman, Bentley & Finkel 1977). The tree is implicit: points
 * are reordered so that the node over the places [from, to) has its halves on either side of
 * (from + to) >> 1, split across its longer side. Cost: O(n log n), no allocation per point.
 */

/** Points in a leaf: for about ten, a linear search is cheaper than another level. */
const leafSize = 10;

interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The place of each point before the reordering. */
  readonly places: Uint32Array;
}

interface Tree {
  readonly points: Points;
  /** Coordinate at which each node is split; the children of node i are 2i + 1 and 2i + 2. */
  readonly splits: Float64Array;
  /** 1 for a node split across x, 0 across y. */
  readonly acrossX: Uint8Array;
}

/** For each i of n > k points: the k-th smallest of max(|x_j − x_i|, |y_j − y_i|) over j ≠ i. */
export function neighbourDistances(x: Float64Array, y: Float64Array, k: number): Float64Array {
  const places = Uint32Array.from(x.keys());
  const tree = createTree({ x: x.slice(), y: y.slice(), places });
  const search = createSearch(tree, k);
  const distances = new Float64Array(x.length);
  // In the order of the tree, where successive searches follow nearly the same path.
  for (let i = 0; i < x.length; i++) distances[places[i]] = search(i);
  return distances;
}

function createTree(points: Points): Tree {
  const count = points.x.length;
  let nodes = 1;
  for (let size = count; size > leafSize; size -= size >> 1) nodes = 2 * nodes + 1;
  const [splits, acrossX] = [new Float64Array(nodes), new Uint8Array(nodes)];
  const split = (node: number, from: number, to: number): void => {
    if (to - from <= leafSize) return;
    const middle = (from + to) >> 1;
    acrossX[node] = extent(points.x, from, to) >= extent(points.y, from, to) ? 1 : 0;
    const coordinate = acrossX[node] === 1 ? points.x : points.y;
    select(points, coordinate, middle, from, to - 1);
    splits[node] = coordinate[middle];
    split(2 * node + 1, from, middle);
    split(2 * node + 2, middle, to);
  };
  split(0, 0, count);
  return { points, splits, acrossX };
}

function extent(values: Float64Array, from: number, to: number): number {
  let [least, most] = [values[from], values[from]];
  for (let i = from + 1; i < to; i++) {
    const value = values[i];
    if (value < least) least = value;
    else if (value > most) most = value;
  }
  return most - least;
}

/** Hoare's quickselect: moves smaller values before place `kth` and larger ones behind it. */
function select(
  points: Points,
  values: Float64Array,
  kth: number,
  first: number,
  last: number,
): void {
  while (first < last) {
    const pivot = median(values[first], values[(first + last) >> 1], values[last]);
    let [i, j] = [first, last];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i <= j) exchange(points, i++, j--);
    }
    if (kth <= j) last = j;
    else if (kth >= i) first = i;
    else return;
  }
}

function median(a: number, b: number, c: number): number {
  return a < b ? (b < c ? b : Math.max(a, c)) : a < c ? a : Math.max(b, c);
}

function exchange({ x, y, places }: Points, i: number, j: number): void {
  const [xi, yi, place] = [x[i], y[i], places[i]];
  x[i] = x[j];
  y[i] = y[j];
  places[i] = places[j];
  x[j] = xi;
  y[j] = yi;
  places[j] = place;
}

/** Returns a function that finds the distance to the k-th neighbour of the point at a place. */
function createSearch({ points: { x, y }, splits, acrossX }: Tree, k: number) {
  /** Distances of the k nearest points so far, rising. */
  const nearest = new Float64Array(k);
  let [self, selfX, selfY, farthest] = [0, 0, 0, Infinity];

  const lookAt = (i: number): void => {
    const distance = Math.max(Math.abs(x[i] - selfX), Math.abs(y[i] - selfY));
    if (distance >= farthest || i === self) return;
    let place = k - 1;
    for (; place > 0 && nearest[place - 1] > distance; place--) nearest[place] = nearest[place - 1];
    nearest[place] = distance;
    farthest = nearest[k - 1];
  };
  /** `beyondX`, `beyondY`: distance of the node from the point along each axis. */
  const visit = (
    node: number,
    from: number,
    to: number,
    beyondX: number,
    beyondY: number,
  ): void => {
    if (to - from <= leafSize) {
      for (let i = from; i < to; i++) lookAt(i);
      return;
    }
    const middle = (from + to) >> 1;
    const isAcrossX = acrossX[node] === 1;
    const offset = (isAcrossX ? selfX : selfY) - splits[node];
    const [left, right] = [2 * node + 1, 2 * node + 2];
    if (offset < 0) visit(left, from, middle, beyondX, beyondY);
    else visit(right, middle, to, beyondX, beyondY);
    const farX = isAcrossX ? Math.abs(offset) : beyondX;
    const farY = isAcrossX ? beyondY : Math.abs(offset);
    if (Math.max(farX, farY) >= farthest) return;
    if (offset < 0) visit(right, middle, to, farX, farY);
    else visit(left, from, middle, farX, farY);
  };
  return (i: number): number => {
    [self, selfX, selfY, farthest] = [i, x[i], y[i], Infinity];
    nearest.fill(Infinity);
    visit(0, 0, x.length, 0, 0);
    return nearest[k - 1];
  };
}
