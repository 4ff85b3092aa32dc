import { isAbsolute, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";

describe("embeddedPhotographs", () => {
  test("returns eight files with title and credit", () => {
    const photographs = embeddedPhotographs();
    expect(photographs).toHaveLength(8);
    for (const { name, path, title, credit } of photographs) {
      expect(isAbsolute(path)).toBe(true);
      expect(path.split(sep).slice(-3)).toEqual([`datasets-img-${name}`, "data", "image.jpg"]);
      expect(title).not.toBe("");
      expect(credit).toMatch(/^[\p{L}. ']+, .*\d{4}; .*Getty.*CC0$/u);
    }
  });

  test.each(embeddedPhotographs())("$name is a picture with contrast", async ({ path }) => {
    const { width, height, depth, pixels } = await decodeImage(path, "linear");
    expect([Math.max(width, height), depth]).toEqual([1024, 8]);
    expect(Math.min(width, height)).toBeGreaterThan(400);
    const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
    const variance = pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pixels.length;
    expect(Math.sqrt(variance)).toBeGreaterThan(0.05);
  });
});
