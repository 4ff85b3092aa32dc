import sharp from "sharp";
import { expect, test } from "vitest";
import { losslessEncoders, losslessSizes } from "../../../node/pictures/lossless-sizes.js";
import { createRandom } from "../../../src/random/random-stream.js";

const [width, height] = [64, 48];
const random = createRandom(1);
const noise = Uint8Array.from({ length: width * height }, () => random.integer(256));
const ramp = Uint8Array.from({ length: width * height }, (_, k) => k % width);

test("a ramp is small, and noise is as large as its codes", async () => {
  const small = await losslessSizes({ width, height, codes: ramp });
  const large = await losslessSizes({ width, height, codes: noise });
  expect(Object.keys(small)).toEqual(expect.arrayContaining(["png", "webp"]));
  for (const name of Object.keys(small)) {
    expect(small[name]).toBeLessThan(500);
    expect(large[name]).toBeGreaterThanOrEqual(noise.length);
    expect(large[name]).toBeLessThan(1.2 * noise.length);
  }
});

test.each(["png", "webp"])("a %s file has the same codes", async (format) => {
  const sizes = await losslessSizes({ width, height, codes: noise });
  const raw = { width, height, channels: 1 } as const;
  const file = await losslessEncoders[format](
    sharp(noise, { raw }).toColourspace("b-w"),
  ).toBuffer();
  expect(sizes[format]).toBe(file.length);
  const decoded = await sharp(file).extractChannel(0).raw().toBuffer();
  expect(Uint8Array.from(decoded)).toEqual(noise);
});

test("skips formats that cannot hold the picture", async () => {
  const [wide, low] = [20_000, 1];
  const sizes = await losslessSizes({ width: wide, height: low, codes: new Uint8Array(wide) });
  expect(sizes.png).toBeGreaterThan(0);
  expect(sizes).not.toHaveProperty("webp");
});
