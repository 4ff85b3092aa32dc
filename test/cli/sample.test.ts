import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { sample } from "../../src/density/synthesis.js";
import {
  commandModels,
  expectRefusal,
  modelFolder,
  runCommand,
  runProcess,
} from "../support/commands.js";
import { readNpz } from "../support/python.js";

const { path, names } = await modelFolder();

interface Samples {
  readonly model: string;
  readonly seed: number;
  readonly temperature?: number;
  readonly dimension: number;
  readonly x: readonly (readonly number[])[];
}

const draw = (...words: readonly string[]) => runCommand("sample", ...words, "--workers", "0");

async function samples(model: string, ...words: readonly string[]): Promise<Samples> {
  const { code, stdout, stderr } = await draw(path(model), "--json", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Samples;
}

const greys = (file: string) =>
  sharp(file).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });

/** Returns the samples of the library, row by row. */
let expected: number[][] = [];
beforeAll(async () => {
  const { kernels } = await loadKernels();
  const x = await sample(new InlineRunner(kernels), commandModels.gdn.transform, 5, 3);
  expected = Array.from({ length: 5 }, (_, s) => [...x.subarray(16 * s, 16 * (s + 1))]);
});

describe("gaussianize sample", () => {
  test("--json prints the samples of the library, bit for bit", async () => {
    expect(await samples("gdn", "-n", "5", "--seed", "3")).toEqual({
      model: path("gdn"),
      seed: 3,
      dimension: 16,
      x: expected,
    });
  });

  test("draws 25 samples with seed 1 by default", async () => {
    const { x, seed } = await samples("radial");
    expect([x.length, seed]).toEqual([25, 1]);
    expect((await samples("radial", "--seed", "1")).x).toEqual(x);
    expect((await samples("radial", "--seed", "2")).x).not.toEqual(x);
    expect((await samples("radial", "--temperature", "1")).x).toEqual(x);
    const cool = await samples("radial", "--temperature", "0.5");
    expect(cool).toMatchObject({ temperature: 0.5 });
    const { kernels } = await loadKernels();
    const { transform } = commandModels.radial;
    const terms = { temperature: 0.5 };
    const drawn = await sample(new InlineRunner(kernels), transform, 25, 1, terms);
    expect(cool.x.flat()).toEqual(Array.from(drawn));
  });

  test("gives the same bits with 0, 1 and 2 workers, as a process", async () => {
    const printed = [];
    for (const workers of ["0", "1", "2"]) {
      const flags = ["-n", "300", "--json", "--workers", workers];
      const { code, stdout, stderr } = await runProcess("sample", path("gdn"), ...flags);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      printed.push(stdout);
    }
    expect(new Set(printed).size).toBe(1);
  });

  test("writes an array x, count×N, for numpy", async () => {
    const file = path("x.npz");
    const ran = await draw(path("gdn"), "-n", "5", "--seed", "3", "-o", file);
    const outside = expected.flat().filter((value) => value < 0 || value > 1).length;
    const share = ((100 * outside) / 80).toPrecision(2);
    const stderr = `Wrote ${file}: 5 samples; ${share} % of the values are beyond black (0) or white (1).\n`;
    expect(ran).toEqual({ code: 0, stdout: "", stderr });
    const arrays = readNpz(await readFile(file));
    expect(Object.keys(arrays)).toEqual(["x"]);
    expect(arrays.x).toMatchObject({ type: "<f4", shape: [5, 16], values: expected.flat() });
  });

  test("writes a picture with the greys of the model: 0 black, 1 white, lines white", async () => {
    const file = path("x.png");
    expect(await draw(path("gdn"), "-n", "5", "--seed", "3", "-o", file)).toMatchObject({
      code: 0,
    });
    const { data, info } = await greys(file);
    // 3 columns, 2 rows of 4×4 pixels, each 42 wide: 640 / (3 · 5).
    const cell = 4 * 42 + 1;
    expect([info.width, info.height, info.channels]).toEqual([3 * cell + 1, 2 * cell + 1, 1]);
    const at = (x: number, y: number): number => data[y * info.width + x];
    expected.forEach((row, s) => {
      row.forEach((value, k) => {
        const [x, y] = [
          (s % 3) * cell + (k % 4) * 42 + 20,
          Math.floor(s / 3) * cell + Math.floor(k / 4) * 42 + 20,
        ];
        expect(at(x, y)).toBe(Math.round(255 * Math.min(1, Math.max(0, Math.fround(value)))));
      });
      expect(at((s % 3) * cell, 10)).toBe(255);
    });
    expect(at(2 * cell + 50, cell + 50)).toBe(255);
  });

  test("gives all patches one range around 0 if the model has no black and white", async () => {
    const file = path("linear.png");
    const { x } = await samples("linear", "-n", "4");
    await draw(path("linear"), "-n", "4", "-o", file);
    const { data } = await greys(file);
    const largest = Math.max(...x.flat().map(Math.abs));
    const shown = new Set(data);
    for (const value of x.flat()) {
      const grey = Math.round(255 * Math.fround((value + largest) / (2 * largest)));
      expect(shown.has(grey)).toBe(true);
    }
    expect(shown.has(0) || shown.has(255)).toBe(true);
  });

  test("restores the last pixel of patches without their mean", async () => {
    const file = path("centred.png");
    const { x } = await samples("centred", "-n", "1", "--seed", "3");
    expect(await draw(path("centred"), "-n", "1", "--seed", "3", "-o", file)).toMatchObject({
      code: 0,
    });
    const { data, info } = await greys(file);
    const patch = [...x[0], -x[0].reduce((sum, value) => sum + value, 0)];
    const largest = Math.max(...patch.map(Math.abs));
    // One patch of 4×4 pixels, each 128 wide: 640 / 5.
    expect([info.width, info.height]).toEqual([514, 514]);
    patch.forEach((value, k) => {
      const [left, top] = [1 + 128 * (k % 4) + 64, 1 + 128 * Math.floor(k / 4) + 64];
      const grey = (255 * (value + largest)) / (2 * largest);
      expect(Math.abs(data[top * info.width + left] - grey)).toBeLessThan(0.51);
    });
  });

  test("accepts endings in capitals", async () => {
    const file = path("UPPER.PNG");
    expect(await draw(path("gdn"), "-n", "1", "-o", file)).toMatchObject({ code: 0 });
    expect((await readFile(file)).subarray(1, 4).toString()).toBe("PNG");
  });

  test("prints and writes in one run", async () => {
    const file = path("both.npz");
    const { stdout, stderr } = await draw(path("gdn"), "-n", "2", "--json", "-o", file);
    expect((JSON.parse(stdout) as Samples).x).toHaveLength(2);
    expect(stderr).toBe(`Wrote ${file}: 2 samples.\n`);
  });
});

describe("gaussianize sample rejects", () => {
  test.each([
    [[], 2, "Where should the samples go?"],
    [
      ["-n", "0", "--json"],
      2,
      '-n, --count must be a whole number of at least 1, in digits; received "0"',
    ],
    [["-n", "-5", "--json"], 2, 'received "-5"'],
    [["-n", "1e9", "--json"], 2, 'received "1e9"'],
    [["-n", "2.5", "--json"], 2, 'received "2.5"'],
    [["-n", "", "--json"], 2, 'received ""'],
    [["-n", "x\ny", "--json"], 2, String.raw`received "x\u000ay"`],
    [["-n", "99999999999999999999", "--json"], 2, 'received "99999999999999999999"'],
    [["-n"], 2, "argument missing"],
    [["-n", "1000000000", "--json"], 2, "must be at most 524,288 for a model of 16 dimensions"],
    [["-n", "1000000000", "-o", path("y.png")], 2, "received 1,000,000,000"],
    [["-n", "1000000000", "-o", path("y.npz")], 2, "must be at most 4,194,304 for a model of 16"],
    [
      ["--seed", "-1", "--json"],
      2,
      '--seed must be a whole number of at least 0, in digits; received "-1"',
    ],
    [["--temperature", "0", "--json"], 2, "--temperature must be a number above 0"],
    [["--workers", "1025", "--json"], 2, "--workers must be a whole number from 0 to 1024"],
    [["-o", path("y.txt")], 2, "ends in .png or .npz"],
    [["--json", "extra"], 2, "too many arguments"],
    [["--count=3", "--jsn"], 2, "Did you mean --json?"],
  ] as const)("%j with code %i", async (flags, code, what) => {
    const before = await names();
    expectRefusal(await runCommand("sample", path("gdn"), ...flags), code, what);
    expect(await names()).toEqual(before);
  });

  test.each(["noPatch", "oblong", "radial"])(
    "a picture of %s, which has no square patch",
    async (model) => {
      const n = model === "radial" ? 3 : 16;
      const ran = await draw(path(model), "-o", path("y.png"));
      expectRefusal(
        ran,
        2,
        `${path(model)} does not say how its ${n} dimensions form a square patch; write .npz`,
      );
    },
  );

  // With one draw a bounded model may by chance have a preimage.
  test.each(["classic", "twofold"])(
    "%s, which has no density, however few are drawn",
    async (model) => {
      const before = await names();
      const ran = await draw(path(model), "-n", "1", "-o", path("y.npz"));
      expectRefusal(ran, 1, `${path(model)} is not onto`);
      expect(await names()).toEqual(before);
    },
  );
});
