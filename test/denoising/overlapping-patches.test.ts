import { describe, expect, test } from "vitest";
import {
  OverlapAverage,
  checkStride,
  coveringCorners,
  patchesAt,
} from "../../src/denoising/overlapping-patches.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

const sceneOf = (width: number, height: number): GreyImage => ({
  width,
  height,
  pixels: createRandom(seed, "overlap").normalFill(new Float32Array(width * height)),
});

describe("coveringCorners", () => {
  test("form a grid, plus the edges that the grid does not reach", () => {
    const corners = coveringCorners(sceneOf(8, 6), 3, 2);
    const places = [...corners].map((corner) => [corner % 8, Math.floor(corner / 8)]);
    const [lefts, tops] = [
      [0, 2, 4, 5],
      [0, 2, 3],
    ];
    expect(places).toEqual(tops.flatMap((top) => lefts.map((left) => [left, top])));
  });

  test.each([
    [7, 5, 3, 1],
    [7, 5, 3, 3],
    [9, 4, 4, 4],
    [4, 4, 4, 1],
  ])("cover every pixel of %i×%i by patches of %i, %i apart", (width, height, size, stride) => {
    const counts = new Uint8Array(width * height);
    for (const corner of coveringCorners(sceneOf(width, height), size, stride)) {
      for (let k = 0; k < size * size; k++) {
        counts[corner + Math.floor(k / size) * width + (k % size)]++;
      }
    }
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });
});

describe("checkStride", () => {
  test("rejects strides that leave pixels uncovered, and fractions", () => {
    const check = (stride: number) => () => {
      checkStride(stride, 4);
    };
    expect(check(4)).not.toThrow();
    for (const stride of [0, 5, 1.5, NaN]) expect(check(stride)).toThrow("an integer from 1 to 4");
  });
});

describe(`OverlapAverage (seed ${seed})`, () => {
  const scene = sceneOf(7, 5);
  const corners = coveringCorners(scene, 3, 2);

  test("of the patches of an image is the image", () => {
    const average = new OverlapAverage(scene, 3);
    average.add(corners, patchesAt(scene, corners, 3));
    // Up to nine equal values are added and divided.
    expectClose(average.image().pixels, scene.pixels, { relative: float32Epsilon });
  });

  test("is the mean of all patches at a pixel", () => {
    const average = new OverlapAverage({ width: 3, height: 2 }, 2);
    average.add(Uint32Array.of(0, 1), Float32Array.of(1, 2, 3, 4, 6, 7, 8, 9));
    expect([...average.image().pixels]).toEqual([1, 4, 7, 3, 6, 9]);
  });

  test("is a weighted mean if patches have weights", () => {
    const average = new OverlapAverage({ width: 3, height: 2 }, 2);
    const said = Float32Array.of(1, 2, 3, 4, 6, 7, 8, 9);
    average.add(Uint32Array.of(0, 1), said, Float64Array.of(3, 1));
    expect([...average.image().pixels]).toEqual([1, 3, 7, 3, 5, 9]);
  });

  test("does not depend on the chunks of patches", () => {
    const said = patchesAt(scene, corners, 3).map((value, k) => value + Math.sin(k));
    const [whole, parts] = [new OverlapAverage(scene, 3), new OverlapAverage(scene, 3)];
    whole.add(corners, said);
    for (const [first, end] of [
      [0, 1],
      [1, 4],
      [4, corners.length],
    ]) {
      parts.add(corners.subarray(first, end), said.subarray(9 * first, 9 * end));
    }
    expect(parts.image().pixels).toEqual(whole.image().pixels);
  });
});
