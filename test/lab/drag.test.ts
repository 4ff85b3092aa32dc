import { describe, expect, test } from "vitest";
import { placeAfterKey } from "../../lab/components/drag.js";

describe("arrow keys", () => {
  test("move a place, and stop at the edges", () => {
    expect(placeAfterKey("ArrowRight", { x: 0.5, y: 0.5 }, 0.25)).toEqual({ x: 0.75, y: 0.5 });
    expect(placeAfterKey("ArrowUp", { x: 0.5, y: 0.1 }, 0.25)).toEqual({ x: 0.5, y: 0 });
    expect(placeAfterKey("ArrowLeft", { x: 0, y: 1 }, 0.25)).toEqual({ x: 0, y: 1 });
  });

  test("are the only keys that do", () => {
    for (const key of ["a", "Tab", "Enter", "toString"]) {
      expect(placeAfterKey(key, { x: 0.5, y: 0.5 }, 0.25)).toBeNull();
    }
  });
});
