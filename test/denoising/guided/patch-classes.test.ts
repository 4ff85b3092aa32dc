import { describe, expect, test } from "vitest";
import {
  boundsOfShares,
  classCount,
  classOfKind,
  classifyPatches,
  poseMaps,
  poseOfKind,
} from "../../../src/denoising/guided/patch-classes.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { noisyScene } from "../../support/scenes.js";

const size = 8;
const bounds = { strengths: [0.01, 0.03], coherences: [0.3, 0.6] };

/** An edge whose gradient has this direction, in the middle of a patch with a margin around it. */
function edge(degrees: number): GreyImage {
  const side = size + 2;
  const [x, y] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const pixels = Float32Array.from({ length: side * side }, (_, k) => {
    const [across, down] = [(k % side) - (side - 1) / 2, Math.floor(k / side) - (side - 1) / 2];
    return 0.5 + 0.4 * Math.tanh(across * x + down * y);
  });
  return { width: side, height: side, pixels };
}

/** Returns the kind of the patch in the middle. */
const kindOf = (image: GreyImage): number => classifyPatches(image, size, bounds)[image.width + 1];

describe("classes of patches", () => {
  test("are counted as combinations", () => {
    expect(classCount(bounds)).toBe(1 + 2 * 3 * 2);
    expect(classCount({ strengths: [], coherences: [] })).toBe(1);
  });

  test("are the same for an edge in eight directions, with different poses", () => {
    const directions = [10, 80, 100, 170, 190, 260, 280, 350];
    const kinds = directions.map((degrees) => kindOf(edge(degrees)));
    expect(new Set(kinds.map((kind) => classOfKind(kind))).size).toBe(1);
    expect(new Set(kinds.map(poseOfKind)).size).toBe(8);
  });

  test("distinguish small and large angles, flat and steep, straight and bent", () => {
    const classOf = (image: GreyImage): number => classOfKind(kindOf(image));
    expect(classOf(edge(35))).not.toBe(classOf(edge(10)));
    const flat = { ...edge(10), pixels: edge(10).pixels.map((value) => value / 100) };
    expect(classOf(flat)).toBe(0);
    const side = edge(0).width;
    const dot = {
      ...edge(0),
      pixels: edge(0).pixels.map((_, k) => {
        const [x, y] = [(k % side) - (side - 1) / 2, Math.floor(k / side) - (side - 1) / 2];
        return Math.exp(-(x * x + y * y) / 4);
      }),
    };
    expect(classOf(dot)).not.toBe(classOf(edge(10)));
    expect(classOf(dot)).toBeGreaterThan(0);
  });

  test("bring all edges into one direction by their poses", () => {
    const maps = poseMaps(size);
    const posed = [10, 80, 100, 170, 190, 260, 280, 350].map((degrees) => {
      const image = edge(degrees);
      const map = maps[poseOfKind(kindOf(image))];
      const at = (k: number): number =>
        image.pixels[(Math.floor(k / size) + 1) * image.width + (k % size) + 1];
      return Array.from({ length: size * size }, (_, k) => at(map[k]));
    });
    for (const patch of posed) {
      patch.forEach((value, k) => {
        expect(value).toBeCloseTo(posed[0][k], 5);
      });
    }
  });

  test("have the shares that determined their bounds", () => {
    const { clean } = noisyScene(160, 120, 0);
    const shares = { strengths: [0.5, 0.8], coherences: 2 };
    const chosen = boundsOfShares([clean], size, shares);
    const kinds = classifyPatches(clean, size, chosen);
    const inRoom = Array.from(kinds).filter((_, k) => k % 160 <= 152 && Math.floor(k / 160) <= 112);
    const weak = inRoom.filter((kind) => classOfKind(kind) === 0).length / inRoom.length;
    expect(weak).toBeGreaterThan(0.4);
    expect(weak).toBeLessThan(0.6);
  });
});
