import { describe, test } from "vitest";
import { sigmaInFile, unitOf } from "../../../cli/denoise/one-file.js";
import type { Picture } from "../../../node/pictures/picture.js";
import { expectClose } from "../../support/expect-close.js";

const pictureOf = (
  width: number,
  height: number,
  valueAt: (k: number) => number,
  bitDepth: Picture["bitDepth"] = 8,
): Picture => ({
  width,
  height,
  alpha: null,
  bitDepth,
  format: "tiff",
  isLossy: false,
  metadata: {},
  channels: [Float32Array.from({ length: width * height }, (_, k) => valueAt(k))],
  source: "cells.tif",
});

describe("unitOf and sigmaInFile", () => {
  // 0 to 9 tenths of what is called white.
  const ramp = (white: number, bitDepth: Picture["bitDepth"]): Picture =>
    pictureOf(10, 1, (k) => (white * k) / 10, bitDepth);

  test.each([
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
