import { describe, expect, test } from "vitest";
import type { GreyPixels } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  type SteerablePyramid,
  joinSteerablePyramid,
  splitIntoSteerablePyramid,
  steerableBand,
  steerableBands,
} from "../../src/wavelets/steerable-pyramid.js";
import { expectClose, expectSameBits, largest } from "../support/expect-close.js";
import { expectError } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

function noise(width: number, height: number): GreyPixels {
  const random = createRandom(seed, "steerable", width, height);
  return { width, height, pixels: random.normalFill(new Float64Array(width * height)) };
}

function energyOf(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value * value, 0);
}

/** A cosine of `u` cycles along the width and `v` down the height. */
function grating(width: number, height: number, u: number, v: number, phase = 0.3): GreyPixels {
  const pixels = Float64Array.from({ length: width * height }, (_, k) => {
    const [x, y] = [k % width, Math.floor(k / width)];
    return Math.cos(2 * Math.PI * ((u * x) / width + (v * y) / height) + phase);
  });
  return { width, height, pixels };
}

const sizes = [
  [32, 32],
  [33, 35],
  [40, 37],
  [47, 60],
  [101, 34],
];

describe(`a pyramid (seed ${seed})`, () => {
  test.each(sizes)(
    "of %i×%i pixels is joined to 1e-12 for any number of orientations",
    (width, height) => {
      const image = noise(width, height);
      for (const orientations of [1, 2, 3, 4, 5, 6, 16]) {
        const joined = joinSteerablePyramid(splitIntoSteerablePyramid(image, { orientations }));
        expect([joined.width, joined.height]).toEqual([width, height]);
        expectClose(
          joined.pixels,
          image.pixels,
          { absolute: 1e-12 },
          `${orientations} orientations`,
        );
      }
    },
  );

  test.each([
    [8, 8, 1],
    [9, 31, 1],
    [17, 16, 2],
    [135, 129, 5],
  ])("of %i×%i pixels is joined from its %i scales", (width, height, scales) => {
    const image = noise(width, height);
    const joined = joinSteerablePyramid(splitIntoSteerablePyramid(image, { scales }));
    expectClose(joined.pixels, image.pixels, { absolute: 1e-12 });
  });

  test("has bands of half the size, rounded up, at each scale", () => {
    const pyramid = splitIntoSteerablePyramid(noise(50, 37), { orientations: 2, scales: 3 });
    const sizeOf = ({ width, height }: { width: number; height: number }) => [width, height];
    expect(sizeOf(pyramid.highpass)).toEqual([50, 37]);
    const sizes = ["50,37", "25,19", "13,10"];
    expect(pyramid.bands.map((bands) => bands.map((band) => sizeOf(band).join()))).toEqual(
      sizes.map((size) => [size, size]),
    );
    expect(sizeOf(pyramid.lowpass)).toEqual([7, 5]);
  });

  // high² + low² between the nodes of the windows is at least 1 − (π/512)²/4.
  test.each(sizes)(
    "of %i×%i pixels keeps the energy to 1e-5, weighted by area",
    (width, height) => {
      const image = noise(width, height);
      const { highpass, bands, lowpass } = splitIntoSteerablePyramid(image, { orientations: 3 });
      let energy = 0;
      for (const { values } of [highpass, ...bands.flat(), lowpass]) {
        energy += (values.length / image.pixels.length) * energyOf(values);
      }
      const part = energy / energyOf(image.pixels);
      expect(part).toBeLessThan(1 + 1e-12);
      expect(part).toBeGreaterThan(1 - 9.5e-6);
    },
  );

  test("of a constant is its low-pass rest", () => {
    const flat = { width: 36, height: 33, pixels: new Float32Array(36 * 33).fill(0.75) };
    const { highpass, bands, lowpass } = splitIntoSteerablePyramid(flat);
    for (const { values } of [highpass, ...bands.flat()])
      expect(largest(values)).toBeLessThan(1e-14);
    // Coarser bands keep the sum of all pixels, which 5×5 coefficients share.
    expectClose(lowpass.values, new Float64Array(25).fill((0.75 * 36 * 33) / 25), {
      relative: 1e-13,
    });
  });
});

describe("orientation b", () => {
  const [width, height] = [64, 64];

  test.each([
    [0, 16, 0, "upright stripes"],
    [1, 11, 11, "stripes that rise from left to right"],
    [2, 0, 16, "level stripes"],
    [3, -11, 11, "stripes that fall from left to right"],
  ])("= %i of four answers most to %i, %i cycles: %s", (strongest, u, v) => {
    const energies = steerableBands(grating(width, height, u, v)).map((band) =>
      energyOf(band.values),
    );
    expect(energies.indexOf(Math.max(...energies))).toBe(strongest);
    // cos(90°) = 0 across, cos(45°)³ = 2^(−3/2) beside.
    const [, beside, across, other] = [0, 1, 2, 3].map((k) => energies[(strongest + k) % 4]);
    expect(across / energies[strongest]).toBeLessThan(1e-20);
    expectClose(
      [beside, other],
      [1 / 8, 1 / 8].map((part) => part * energies[strongest]),
      {
        relative: 1e-10,
      },
    );
  });

  test("= 1 of four lies along edges that rise (/)", () => {
    // Bright below and right of a rising line, in the middle of the picture.
    const pixels = Float64Array.from({ length: 64 * 64 }, (_, k) => {
      const [x, y] = [k % 64, Math.floor(k / 64)];
      return x + y > 63 ? 1 : 0;
    });
    const bands = steerableBands({ width, height, pixels });
    const middle = bands.map(({ values }) => Math.abs(values[32 * 64 + 31]));
    expect(middle.indexOf(Math.max(...middle))).toBe(1);
  });

  // Straight lines between 257 nodes are within (π/512)²/8 of the sine.
  test.each([7, 9, 11, 15, 17, 23, 31])("= 0 has the windows' amplitude at %i cycles", (u) => {
    const image = grating(width, height, u, 0);
    const [{ values }] = steerableBands(image, { orientations: 4 });
    const octave = Math.log2(u / 32);
    const rise = (t: number): number => Math.sin((Math.PI / 2) * Math.min(1, Math.max(0, t + 1)));
    const fall = (t: number): number => Math.cos((Math.PI / 2) * Math.min(1, Math.max(0, t + 1)));
    const wanted = Math.sqrt(4 / 5) * fall(octave) * rise(octave + 1);
    const found = Math.sqrt(energyOf(values) / energyOf(image.pixels));
    expectClose(found, wanted, { absolute: 5e-6 });
  });

  test("is the cosine of the angle, to the power N − 1, in any direction", () => {
    const [u, v, orientations] = [9, 13, 5];
    const angle = Math.atan2(v, u);
    const bands = steerableBands(grating(width, height, u, v), { orientations });
    const amplitudes = bands.map(({ values }) => Math.sqrt(energyOf(values)));
    const cosines = bands.map((_, b) => Math.cos(angle - (Math.PI * b) / orientations) ** 4);
    const scale = amplitudes[1] / cosines[1];
    expectClose(
      amplitudes,
      cosines.map((cosine) => cosine * scale),
      { relative: 1e-9, scale },
    );
  });
});

/**
 * Weights w_b with cos(θ − φ)^(N−1) = Σ_b w_b cos(θ − πb/N)^(N−1) for all θ: a sum of cosines of
 * the harmonics that cos^(N−1) has (Freeman & Adelson 1991, theorem 1).
 */
function steeringWeights(orientations: number, angle: number): number[] {
  return Array.from({ length: orientations }, (_, b) => {
    const difference = angle - (Math.PI * b) / orientations;
    let sum = 0;
    for (let harmonic = orientations - 1; harmonic >= 0; harmonic -= 2) {
      sum += (harmonic === 0 ? 1 : 2) * Math.cos(harmonic * difference);
    }
    return sum / orientations;
  });
}

describe("bands can be steered", () => {
  test.each([2, 3, 4, 7])("by 90°: %i bands give those of the turned picture", (orientations) => {
    const image = noise(40, 40);
    const turned = { ...image, pixels: turnedBy90Degrees(image.pixels, 40) };
    const bands = steerableBands(image, { orientations });
    const found = steerableBand(turned, { orientations, orientation: 0 });
    const weights = steeringWeights(orientations, -Math.PI / 2);
    const sum = new Float64Array(40 * 40);
    for (const [b, { values }] of bands.entries()) {
      for (let k = 0; k < sum.length; k += 1) sum[k] += weights[b] * values[k];
    }
    expectClose(found.values, turnedBy90Degrees(sum, 40), { absolute: 1e-12 });
  });

  test.each([3, 4])("%i bands give the amplitude of any direction between them", (orientations) => {
    const image = grating(48, 48, 5, 12);
    const bands = steerableBands(image, { orientations });
    const own = Math.atan2(12, 5);
    const amplitude = (angle: number): number => {
      const weights = steeringWeights(orientations, angle);
      const sum = bands[0].values.map((_, k) =>
        bands.reduce((total, { values }, b) => total + weights[b] * values[k], 0),
      );
      return Math.sqrt(energyOf(sum));
    };
    for (const angle of [0.1, 0.7, 1.9, 2.8]) {
      const wanted = Math.abs(Math.cos(own - angle)) ** (orientations - 1) * amplitude(own);
      expectClose(amplitude(angle), wanted, { absolute: 1e-9 });
    }
  });
});

/** Pixel (x, y) goes to (−y, x) modulo n: from the x axis towards the y axis, which points down. */
function turnedBy90Degrees(values: ArrayLike<number>, n: number): Float64Array {
  const turned = new Float64Array(n * n);
  for (let y = 0; y < n; y += 1) {
    for (let x = 0; x < n; x += 1) turned[x * n + ((n - y) % n)] = values[y * n + x];
  }
  return turned;
}

describe("one scale alone", () => {
  const image = noise(45, 52);
  const pyramid = splitIntoSteerablePyramid(image, { orientations: 3, scales: 3 });

  test.each([0, 1, 2])("scale %i has the bits of the whole pyramid", (scale) => {
    const bands = steerableBands(image, { orientations: 3, scale });
    for (const [orientation, { values }] of pyramid.bands[scale].entries()) {
      expectSameBits(bands[orientation].values, values);
      const alone = steerableBand(image, { orientations: 3, orientation, scale });
      expectSameBits(alone.values, values);
    }
  });

  test("moves with the picture, across its edges", () => {
    const { width, height, pixels } = image;
    const [right, down] = [7, 11];
    const move = (values: ArrayLike<number>): Float64Array => {
      const moved = new Float64Array(width * height);
      for (let k = 0; k < moved.length; k += 1) {
        const [x, y] = [(k % width) + right, Math.floor(k / width) + down];
        moved[(y % height) * width + (x % width)] = values[k];
      }
      return moved;
    };
    const moved = steerableBand({ width, height, pixels: move(pixels) }, { orientation: 1 });
    const still = steerableBand(image, { orientation: 1 });
    expectClose(moved.values, move(still.values), { absolute: 1e-13 });
  });
});

describe("rejects", () => {
  const image = noise(40, 33);
  const pyramid = splitIntoSteerablePyramid(image);

  const [split, allBands] = [splitIntoSteerablePyramid, steerableBands];
  const band = (options: object) => steerableBand(image, options as { orientation: number });
  const damaged = { width: 16, height: 16, pixels: new Float64Array(256).fill(NaN, 18, 19) };

  const picture = { width: 40, height: 33, channels: [image.pixels] } as unknown as typeof image;

  test.each([
    ["no orientations", () => split(image, { orientations: 0 }), "orientations", "1 to 16"],
    ["a fraction", () => split(image, { orientations: 2.5 }), "orientations", "1 to 16"],
    ["too many scales", () => split(image, { scales: 4 }), "scales", "1 to 3 for 40×33 pixels"],
    ["an unknown orientation", () => band({ orientation: 4 }), "orientation", "0 to 3"],
    ["a coarse scale", () => band({ orientation: 0, scale: 3 }), "scale", "0 to 2 for 40×33"],
    ["a negative scale", () => allBands(image, { scale: -1 }), "scale", "from 0"],
    ["`scale` of a pyramid", () => split(image, { scale: 1 } as object), "the options", "scale"],
    [
      "`scales` of a scale",
      () => allBands(image, { scales: 1 } as object),
      "the options",
      "scales",
    ],
    ["a typo", () => band({ orientation: 0, sclae: 1 }), "the options", "sclae"],
    ["missing pixels", () => split({ ...image, width: 41 }), "the image", "1353 pixels (41×33)"],
    ["missing pixels", () => allBands({ ...image, width: 41 }), "the image", "1353 pixels (41×33)"],
    ["a picture", () => allBands(picture), "the image", "a grey image { width, height, pixels }"],
    ["few pixels", () => split(noise(7, 90), { scales: 1 }), "the image", /8×8.*7×90/],
    ["NaN", () => split(damaged, { scales: 1 }), "column 2 of row 1 of the image", "finite"],
  ])("%s", (_, action, argument, phrase) => {
    expectError(action, { code: "invalid-argument", argument, phrase });
  });

  const torn = { ...pyramid.highpass, values: new Float64Array(3) };
  const tornBands = pyramid.bands.map((bands) => [...bands.slice(1), torn]);

  test.each<[string, Partial<SteerablePyramid>, string, RegExp]>([
    ["orientations", { orientations: 3 }, "bands[0]", /3 orientations.*4/],
    ["scales", { bands: pyramid.bands.slice(1) }, "lowpass", /10×9/],
    ["lowpass", { lowpass: pyramid.highpass }, "lowpass", /5×5.*40×33/],
    ["highpass", { highpass: torn }, "highpass", /1320.*3/],
    ["bands", { bands: tornBands }, "bands[0][3]", /1320.*3/],
  ])("a pyramid with wrong %s", (_, change, argument, phrase) => {
    const join = () => joinSteerablePyramid({ ...pyramid, ...change });
    expectError(join, { code: "invalid-argument", argument, phrase });
  });
});
