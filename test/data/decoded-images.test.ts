import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { findImages } from "../../node/find-images.js";
import { expectClose, float32Epsilon } from "../support/expect-close.js";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

interface Statistics {
  readonly mean: number;
  readonly deviation: number;
  readonly middle: number;
}

/** Statistics of the same files by Pillow and NumPy, from image-statistics.py. */
interface Fixture {
  readonly luma: Readonly<Record<string, readonly [row: number, column: number, y: number][]>>;
  readonly kodak: Readonly<Record<string, Statistics>>;
  readonly vanHateren: Readonly<
    Record<string, Statistics & { minimum: number; maximum: number; distinct: number }>
  >;
}

const fixture = JSON.parse(readFileSync("test/fixtures/image-statistics.json", "utf8")) as Fixture;
const data = join(sharedPath, "data");

function statisticsOf(pixels: Float32Array): Statistics {
  const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
  const squares = pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const middle = pixels[Math.floor(pixels.length / 2)];
  return { mean, deviation: Math.sqrt(squares / pixels.length), middle };
}

function expectStatistics(pixels: Float32Array, { mean, deviation, middle }: Statistics): void {
  const found = statisticsOf(pixels);
  // Every pixel is rounded once, to Float32; the sums are Float64.
  expectClose(
    [found.mean, found.deviation, found.middle],
    [mean, deviation, middle],
    { relative: float32Epsilon },
    "mean, deviation, middle",
  );
}

describe.skipIf(!hasSharedData)("Kodak", () => {
  test("has 24 pictures of 768×512 or 512×768, all of 8 bits in three channels", async () => {
    const paths = await findImages([join(data, "kodak")]);
    expect(paths).toHaveLength(24);
    const pictures = await Promise.all(paths.map((path) => decodeImage(path, "linear")));
    const portraits = pictures.flatMap(({ width, height }, k) => {
      expect([width, height].sort()).toEqual([512, 768]);
      return width < height ? [k + 1] : [];
    });
    expect(portraits).toEqual([4, 9, 10, 17, 18, 19]);
    for (const { depth, levels, channels } of pictures) {
      expect([depth, levels, channels]).toEqual([8, 256, 3]);
    }
  });

  test.each(Object.entries(fixture.kodak))(
    "%s has the linear luminance that Pillow and NumPy find",
    async (name, statistics) => {
      expectStatistics((await decodeImage(join(data, name), "linear")).pixels, statistics);
    },
  );
});

describe.skipIf(!hasSharedData)("BSDS300", () => {
  test.each(Object.entries(fixture.luma))(
    "%s: grey is the Y plane within a level where no colour was clipped",
    async (name, places) => {
      const { width, pixels } = await decodeImage(join(data, name), "grey");
      const found = places.map(([row, column]) => 255 * pixels[row * width + column]);
      expectClose(
        found,
        places.map(([, , y]) => y),
        { absolute: 1 },
      );
    },
  );

  // The literature's grey pictures were made from the decoded colours, not from the Y plane: that
  // differs by up to 16 levels where a colour was clipped.
  test.each([
    ["test001", "101085"],
    ["test005", "105025"],
    ["test012", "12084"],
    ["test019", "145086"],
  ])("BSD68's %s is the grey of %s, rounded", async (png, jpeg) => {
    const wanted = await decodeImage(join(data, `bsd68/${png}.png`), "grey");
    const found = await decodeImage(join(data, `bsds300/test/${jpeg}.jpg`), "grey");
    expect([wanted.channels, wanted.width, wanted.height]).toEqual([1, found.width, found.height]);
    const differences = found.pixels.map((value, k) =>
      Math.abs(Math.round(255 * value) - Math.round(255 * wanted.pixels[k])),
    );
    // Another decoder rounds a few colours, and with them a few greys, the other way.
    expect(differences.every((value) => value <= 1)).toBe(true);
    expect(differences.filter((value) => value > 0).length).toBeLessThan(
      0.002 * differences.length,
    );
  });
});

/** The counts of an `.iml` file, of which 65535 is 1: Float32 tells them apart. */
async function countsOf(name: string): Promise<{ width: number; counts: Float32Array }> {
  const { width, height, pixels } = await decodeImage(join(data, name), "linear");
  expect([width, height]).toEqual([1532, 1020]);
  return { width, counts: pixels.map((value) => Math.round(65535 * value)) };
}

describe.skipIf(!hasSharedData)("van Hateren", () => {
  test.each(Object.entries(fixture.vanHateren))(
    "%s has the intensities that NumPy finds",
    async (name, { minimum, maximum, distinct, ...statistics }) => {
      const { counts } = await countsOf(name);
      expectStatistics(counts, statistics);
      const values = [...new Set(counts)];
      expect([Math.min(...values), Math.max(...values)]).toEqual([minimum, maximum]);
      expect(values).toHaveLength(distinct);
    },
  );

  test("imk00031 has the pixels that the notes beside the data give", async () => {
    const { width, counts } = await countsOf("vanhateren/imk00031.iml");
    // Two rows and two columns are left out before row 500 and column 700.
    const start = 498 * width + 698;
    expect([...counts.subarray(start, start + 4)]).toEqual([1062, 1111, 1028, 697]);
  });

  test("all files decode, with values from 26 to 19306", async () => {
    const [smallest, largest] = [new Set<number>(), new Set<number>()];
    for (const name of readdirSync(join(data, "vanhateren"))) {
      const { counts } = await countsOf(join("vanhateren", name));
      smallest.add(counts.reduce((a, b) => Math.min(a, b)));
      largest.add(counts.reduce((a, b) => Math.max(a, b)));
    }
    expect([Math.min(...smallest), Math.max(...largest)]).toEqual([26, 19306]);
  });
});
