import { describe, expect, it } from "vitest";
import { doubtOf, sigmaInFile, unitOf } from "../../../cli/denoise/noise-strength.js";
import type { Picture } from "../../../node/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectClose } from "../../support/expect-close.js";
import { seed } from "../../support/seed.js";

const pictureOf = (
  width: number,
  height: number,
  valueAt: (k: number) => number,
  bitDepth: Picture["bitDepth"] = 8,
): Picture => ({
  ...{ width, height, alpha: null, bitDepth, format: "tiff", isLossy: false, metadata: {} },
  channels: [Float32Array.from({ length: width * height }, (_, k) => valueAt(k))],
  source: "cells.tif",
});

describe("unitOf and sigmaInFile", () => {
  // 0 to 9 tenths of what is called white.
  const ramp = (white: number, bitDepth: Picture["bitDepth"]): Picture =>
    pictureOf(10, 1, (k) => (white * k) / 10, bitDepth);

  it.each([
    ["8 bits count in grey levels", ramp(1, 8), 1, 25.5],
    ["16 bits in codes of 65535", ramp(1, 16), 1, 6553.5],
    ["12 bits in 16: their range is black to white", ramp(4095 / 65535, 16), 0, 0.1 * 0.9 * 4095],
    ["floats from 0 to 1 are taken for greys", ramp(1, "float"), 1, 0.1],
    ["floats that count have their own range", ramp(3000, "float"), 2700, 270],
  ])("%s", (_, picture, unit, inFile) => {
    const found = unitOf(picture);
    // Values of single precision.
    if (unit > 0) expectClose(found, unit, { relative: 1e-6 });
    expectClose(sigmaInFile(25.5, found, picture), inFile, { relative: 1e-6 });
  });
});

describe(`doubtOf (seed ${seed})`, () => {
  const values = createRandom(seed, "doubt").normalFill(new Float32Array(64 * 64));
  const around = (mean: number) => (k: number) =>
    Math.min(1, Math.max(0, mean + 0.1 * (values[k] ?? 0)));

  it("is about tiny pictures, which are named with their size", () => {
    expect(doubtOf(pictureOf(33, 31, around(0.5)))).toEqual([
      "few pixels",
      "cells.tif: 33×31 pixels are few to estimate its noise from; if you know it, give --sigma.",
    ]);
    expect(doubtOf(pictureOf(32, 32, around(0.5)))).toBeUndefined();
  });

  it("is about pictures of which most is clipped", () => {
    expect(doubtOf(pictureOf(64, 64, around(0)))).toBeUndefined();
    const [cause, sentence] = doubtOf(pictureOf(64, 64, around(-0.1))) ?? ["", ""];
    expect(cause).toBe("clipped");
    // Below one standard deviation: 84 %, within 3 standard errors of 4096 pixels.
    expect(sentence).toMatch(/^cells\.tif: 8[2-6] % of its pixels are clipped to black or white/);
  });

  it("counts a pixel once, whichever of its channels is clipped", () => {
    const half = pictureOf(64, 64, (k) => (k % 2 === 0 ? 0 : 0.5));
    const other = half.channels[0].map((value) => 0.5 - value);
    expect(doubtOf(half)).toBeUndefined();
    expect(doubtOf({ ...half, channels: [half.channels[0], other, other] })?.[1]).toContain(
      "100 %",
    );
  });
});
