import { describe, expect, test } from "vitest";
import type { DemoFit } from "../../cli/demo/fits.js";
import { cropped, enlarged, gallery, shrunk } from "../../cli/pictures.js";
import { meaningOf, tableHead, tableLine } from "../../cli/demo/demo.js";
import { DemoProgress } from "../../cli/demo/progress.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { recordEffects } from "../support/commands.js";

const ramp = (width: number, height: number): GreyImage => ({
  width,
  height,
  pixels: Float32Array.from({ length: width * height }, (_, k) => k),
});

describe("pictures of the demo", () => {
  test("are cropped and enlarged pixel by pixel", () => {
    const part = cropped(ramp(5, 4), { left: 2, top: 1, width: 2, height: 2 });
    expect(part).toEqual({ width: 2, height: 2, pixels: Float32Array.of(7, 8, 12, 13) });
    const large = enlarged(ramp(2, 1), 2);
    expect(large).toEqual({
      width: 4,
      height: 2,
      pixels: Float32Array.of(0, 0, 1, 1, 0, 0, 1, 1),
    });
  });

  test("shrink to means, by any factor", () => {
    expect([...shrunk(ramp(4, 2), 2, 1).pixels]).toEqual([2.5, 4.5]);
    const flat = { ...ramp(7, 5), pixels: new Float32Array(35).fill(0.25) };
    expect(new Set(shrunk(flat, 3, 2).pixels)).toEqual(new Set([0.25]));
  });

  test("fill the rows of a gallery, uncut and undistorted", () => {
    const black = (width: number, height: number): GreyImage => ({
      width,
      height,
      pixels: new Float32Array(width * height),
    });
    const pictures = [black(300, 200), black(100, 200), black(400, 100)];
    const { width, height, pixels } = gallery(pictures, 202, 2, 2);
    // Rows of shapes 1.5 + 0.5 and 4: 100 and 50.5 pixels high.
    expect([width, height]).toEqual([202, 100 + 2 + 51]);
    const white = pixels.reduce((sum, value) => sum + value, 0);
    expect(white).toBe(2 * 100 + 2 * 202);
  });
});

const fitOf = (title: string, difference: number): DemoFit =>
  ({
    title,
    about: "filters",
    seconds: 12.34,
    evaluation: {
      negentropyDifferencePerDimension: difference,
      meanLogLikelihood: 201.5,
      codeLengthInBitsPerPixel: 3.69444,
      standardErrors: { negentropyDifferencePerDimension: 0.0084, meanLogLikelihood: 0.37 },
    },
  }) as DemoFit;

describe("what the demo prints", () => {
  test("aligns its numbers below their names", () => {
    const line = tableLine(fitOf("GDN", -2.97428));
    expect(line).toBe(
      "GDN     −2.9743 ± 0.0084  201.50 ± 0.37      3.694            12.3  filters\n",
    );
    const [names] = tableHead.split("\n");
    expect(line.indexOf("201.50")).toBe(names.indexOf("log-likelihood"));
    expect(line.indexOf("3.694")).toBe(names.indexOf("code length"));
  });

  test("ranks the models, and praises the GDN only if it is best", () => {
    const [ica, gdn] = [fitOf("ICA-MG", -2.7), fitOf("GDN", -2.9)];
    expect(meaningOf([ica, gdn])).toMatch(/GDN, then ICA-MG\.\s+Filters that normalise/);
    const worse = meaningOf([fitOf("ICA-MG", -3), gdn]);
    expect(worse).toContain("ICA-MG, then GDN.");
    expect(worse).not.toContain("Filters that normalise");
  });
});

describe("the progress of the demo", () => {
  test("counts stages by their cost, and shows the time left for all of them", () => {
    let clock = 0;
    const { printed, ...effects } = recordEffects();
    const stages = [
      { label: "first", cost: 30 },
      { label: "second", cost: 10 },
    ];
    const progress = new DemoProgress({ ...effects, now: () => clock }, stages);
    progress.enter(stages[0]);
    clock = 15_000;
    progress.report(0.5, "step 1/2");
    clock = 15_001;
    progress.report(0.6);
    clock = 30_000;
    progress.enter(stages[1]);
    expect(printed.stderr.split("\n")).toEqual([
      " 37 %  first, step 1/2, 25 s left",
      " 75 %  second, 10 s left",
      "",
    ]);
  });
});
