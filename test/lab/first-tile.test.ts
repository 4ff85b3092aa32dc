import { describe, expect, test } from "vitest";
import { firstTile } from "../../lab/panels/denoise/first-tile.js";
import type { PictureChannels } from "../../src/denoising/denoise-channels.js";

/** Each pixel holds its column in the first channel and its row in the second. */
function placesOf(width: number, height: number): PictureChannels {
  const at = (value: (k: number) => number): Float32Array =>
    Float32Array.from({ length: width * height }, (_, k) => value(k));
  return { width, height, channels: [at((k) => k % width), at((k) => Math.floor(k / width))] };
}

describe("the first tile of a picture", () => {
  test("is its middle, denoised together with the pixels around it", async () => {
    const received: PictureChannels[] = [];
    const tile = await firstTile(placesOf(1201, 900), (crop) => {
      received.push(crop);
      const channels = crop.channels.map((pixels) => pixels.map((value) => value + 0.5));
      return Promise.resolve({ ...crop, channels });
    });
    expect(received.map(({ width, height }) => [width, height])).toEqual([[288, 288]]);
    expect(tile).toMatchObject({ left: 472, top: 322, width: 256, height: 256 });
    const [columns, rows] = tile!.channels;
    expect([columns[0], rows[0]]).toEqual([472.5, 322.5]);
    expect([columns[256 * 256 - 1], rows[256 * 256 - 1]]).toEqual([727.5, 577.5]);
  });

  test.each([
    [999, 1000],
    [1_000_000, 280],
  ])("does not exist for %d×%d pixels", async (width, height) => {
    const picture = { width, height, channels: [new Float32Array(1)] };
    expect(await firstTile(picture, () => Promise.reject(new Error("not needed")))).toBeNull();
  });
});
