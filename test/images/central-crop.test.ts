import { describe, expect, it } from "vitest";
import { centralCrop } from "../../src/images/central-crop.js";

const image = { width: 5, height: 4, pixels: Float32Array.from({ length: 20 }, (_, k) => k) };

describe("centralCrop", () => {
  it("leaves out as much on the left as on the right, or one pixel less", () => {
    expect(centralCrop(image, { width: 2, height: 2 })).toEqual({
      ...{ width: 2, height: 2 },
      pixels: Float32Array.of(6, 7, 11, 12),
    });
  });

  it("takes all that there is where more is asked for", () => {
    const { width, height, pixels } = centralCrop(image, { width: 9, height: 1 });
    expect([width, height]).toEqual([5, 1]);
    expect([...pixels]).toEqual([5, 6, 7, 8, 9]);
  });
});
