import { describe, expect, it } from "vitest";
import { splitImages } from "../../src/training/held-out.js";

describe("images that a fit leaves out", () => {
  it("are as many as were asked for, each image on one side", () => {
    const { training, heldOut } = splitImages(24, 0.17, 1);
    expect(heldOut).toHaveLength(4);
    expect([...training, ...heldOut].sort((a, b) => a - b)).toEqual([...Array(24).keys()]);
    expect(splitImages(24, 0.17, 1)).toEqual({ training, heldOut });
    expect(splitImages(24, 0.17, 2).heldOut).not.toEqual(heldOut);
  });

  it("are at least one, but never all, and none where none is wanted", () => {
    expect(splitImages(5, 0.01, 1).heldOut).toHaveLength(1);
    expect(splitImages(1, 0.5, 1).heldOut).toHaveLength(0);
    expect(splitImages(5, 0, 1).heldOut).toHaveLength(0);
    expect(splitImages(1000, 0.5, 1).heldOut).toHaveLength(64);
    expect(() => splitImages(5, 0.95, 1)).toThrow("Expected heldOut to be from 0 to 0.9");
  });
});
