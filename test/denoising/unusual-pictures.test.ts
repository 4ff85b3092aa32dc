import { describe, expect, test } from "vitest";
import { seed } from "../support/seed.js";
import { expectUsefulDefault } from "../support/unusual-cases.js";
import { unusualNames, unusualPicture } from "../support/unusual-pictures.js";

/** All of them, at three levels, are in all-unusual-pictures.test.ts, a slow test. */
describe(`denoising of drawn pictures (seed ${seed})`, () => {
  test.each(["linear gradient", "text", "fine checkerboard", "star field"])(
    "the default suits: %s",
    async (name) => {
      await expectUsefulDefault(name, 25, 64);
    },
  );

  test("there are 20 pictures, of grey values from 0 to 1", () => {
    expect(unusualNames).toHaveLength(20);
    for (const name of unusualNames) {
      const { pixels } = unusualPicture(name, 32, seed);
      expect(pixels.every((value) => value >= 0 && value <= 1)).toBe(true);
    }
  });
});
