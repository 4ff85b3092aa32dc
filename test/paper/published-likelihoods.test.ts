import { describe, expect, test } from "vitest";
import { publishedLikelihoods } from "../../paper/parts/published-likelihoods.js";

describe("likelihoods that others report", () => {
  test.each(publishedLikelihoods)("$model has a source and plausible values", (each) => {
    expect(each.source.address).toMatch(/^https:\/\/arxiv\.org\/abs\/\d{4}\.\d{5}$/);
    expect(each.nats).toBeGreaterThan(140);
    expect(each.nats).toBeLessThan(160);
    if (each.bitsPerPixel === null) return;
    // The mean, taken for independent of the rest, adds the same to all of them: −3.66 nats, up to
    // the digits that are given.
    expect(Math.abs(each.bitsPerPixel * 64 * Math.LN2 - each.nats + 3.66)).toBeLessThan(0.08);
  });
});
