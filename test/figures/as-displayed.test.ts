import { describe, it } from "vitest";
import { asDisplayed } from "../../src/figures/as-displayed.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";

describe("patches on a screen", () => {
  it("show linear light through the sRGB curve, and nothing beyond black and white", () => {
    expectClose(asDisplayed(Float32Array.of(-1, 0, 0.2140411, 1, 7)), [0, 0, 0.5, 1, 1], {
      absolute: 4 * float32Epsilon,
    });
  });
});
