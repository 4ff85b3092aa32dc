import { describe, expect, it } from "vitest";
import { publishedLikelihoods } from "../../paper/parts/published-likelihoods.js";

describe("likelihoods that others report", () => {
  it.each(publishedLikelihoods)("$model has a source and plausible values", (each) => {
    expect(each.source.address).toMatch(/^https:\/\/arxiv\.org\/abs\/\d{4}\.\d{5}$/);
    expect(each.nats).toBeGreaterThan(140);
    expect(each.nats).toBeLessThan(160);
    if (each.bitsPerPixel === null) return;
    // The mean adds one dimension: the rate is near that of the others.
    expect(Math.abs(each.bitsPerPixel - each.nats / (63 * Math.LN2))).toBeLessThan(0.2);
  });
});
