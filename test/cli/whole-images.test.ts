import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { writePng } from "../../node/figures.js";
import { sampleImage } from "../../src/density/images/image-synthesis.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectRefusal, modelFolder, runCommand, runProcess } from "../support/commands.js";
import { imageModels, writeImageModels } from "../support/image-models.js";
import { simdRunner } from "../support/inline-runners.js";
import { readNpz } from "../support/python.js";

const { folder, path } = await modelFolder();
const model = await writeImageModels(folder);
const workers = ["--workers", "0"];
const flat = (text: string): string => text.replace(/\n {2}/g, " ");
const json = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(...words, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, never>;
};

beforeAll(async () => {
  for (const [k, width] of [30, 41].entries()) {
    await writePng(path(`${k}.png`), deadLeaves(createRandom(k, "scene"), { width, height: 26 }));
  }
  await writePng(path("small.png"), { width: 9, height: 3, pixels: new Float32Array(27) });
});

describe("gaussianize inspect", () => {
  test("describes a model of whole images", async () => {
    const { code, stdout, stderr } = await runCommand("inspect", model("images"));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${model("images")}: cascade, whole images\n`);
    expect(stdout).toMatch(
      /^blocks of 4×4 pixels \(stride 4\), 16 maps, [\d,]+ parameters in 2 layers$/m,
    );
    expect(stdout).toMatch(/^stage 1: convolution, 3×2 +values/m);
    expect(stdout).toContain("stage 1 mixes 3×2 locations: filters of 12×8 pixels\n");
    // The input of the second convolution is maps.
    expect(stdout).toContain("stage 3 mixes 3×2 locations: filters of 3×2 locations × 16 maps\n");
    expect(stdout).toMatch(/^ {2}weights +1,536 /m);
    expect(flat(stdout)).toMatch(
      /^Computed: stage 1 \(convolution\) is invertible on 16×16 locations: its smallest singular value is 0\.\d+\.$/m,
    );
    expect(stdout).toMatch(/^ΔJ +−2.039 nats per pixel$/m);
    // Beside that of another grid.
    expect(stdout).toMatch(/^smallest singular value +0\.05 on 32×32 locations, after the fit$/m);
  });

  test("--json has stride, filters and singular values", async () => {
    const result = await json("inspect", model("images"));
    expect(result).toMatchObject({
      dimension: 16,
      stride: 4,
      invertible: true,
      grid: { width: 16, height: 16 },
    });
    expect(result.smallestSingularValue).toBeGreaterThan(0);
    expect((result.stages as object[])[1]).toMatchObject({
      kind: "convolution",
      parameters: 1536,
      taps: { width: 3, height: 2 },
      filter: { width: 12, height: 8 },
      maps: 16,
    });
    expect((result.stages as object[])[3]).toMatchObject({ kind: "convolution", maps: 16 });
    expect((result.stages as object[])[3]).not.toHaveProperty("filter");
  });

  test("draws the filters of the first convolution, and γ", async () => {
    const { code, stderr } = await runCommand("inspect", model("images"), "-o", path("f.png"));
    expect(code).toBe(0);
    expect(stderr).toBe(
      `Wrote ${path("f.png")}: 16 filters of 12×8 pixels, and the weights γ, 16×16, both of the first of 2 layers.\n`,
    );
    const { width, height } = await decodeImage(path("f.png"), "grey");
    // 4 columns of filters at zoom 11, a gap, and 16×16 weights of 36 pixels.
    expect(width).toBeGreaterThan(500 + 576);
    expect(height).toBeGreaterThanOrEqual(576);
  });

  test("rejects a model without anything to draw", async () => {
    const ran = await runCommand("inspect", model("bare"), "-o", path("none.png"));
    expectRefusal(ran, 1, "has neither convolutions nor weights γ");
  });
});

describe("gaussianize evaluate", () => {
  test("prints the likelihood of whole images", async () => {
    const words = ["evaluate", model("images"), path("0.png"), path("1.png"), ...workers];
    const { code, stdout, stderr } = await runCommand(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^log-likelihood +−?\d.* nats per pixel of whole images$/m);
    expect(stdout).toMatch(/bits per pixel, of a lossless code; lower is better$/m);
    for (const format of ["PNG", "lossless WebP"]) {
      expect(stdout).toMatch(new RegExp(`^${format} +\\d.* of files with the same greys$`, "m"));
    }
    expect(stdout).toMatch(
      /^ΔJ .* nats per pixel, relative to the preprocessed pixels; lower is better$/m,
    );
    // 28×24 and 40×24 pixels of 30×26 and 41×26.
    expect(flat(stdout)).toContain(
      "2 images, 1,632 pixels: the middle of each, cut to multiples of 4 pixels, with its edges joined; ± standard errors over images.",
    );
    const result = await json(...words);
    expect(result).toMatchObject({
      model: model("images"),
      failedImages: 0,
      preprocessingStages: 1,
      pixels: 1632,
      seed: 1,
    });
    const { png, webp } = result.fileBitsPerPixel as Record<string, number>;
    const ofImages = (result.images as { fileBitsPerPixel: unknown }[]).map(
      (image) => image.fileBitsPerPixel as Record<string, number>,
    );
    expect(png).toBeCloseTo((672 * ofImages[0].png + 960 * ofImages[1].png) / 1632, 9);
    expect(webp).toBeGreaterThan(0);
    expect(
      (result.images as { path: string; width: number }[]).map((i) => [i.path, i.width]),
    ).toEqual([
      [path("0.png"), 28],
      [path("1.png"), 40],
    ]);
  });

  test.each([
    [["--patches", "100"], 2, "--patches is for models of patches"],
    [["--grid"], 2, "--grid is for models of patches"],
  ] as const)("refuses %j", async (words, code, what) => {
    const ran = await runCommand("evaluate", model("images"), path("0.png"), ...words);
    expectRefusal(ran, code, what);
  });

  test("rejects images smaller than a block, and names those without a density", async () => {
    const ran = await runCommand("evaluate", model("images"), path("small.png"), ...workers);
    expectRefusal(ran, 1, "small.png is 9×3 pixels, smaller than the 4×4 blocks of the model.");
    const seen = await runCommand("verify", model("images"), path("small.png"), ...workers);
    expectRefusal(seen, 1, "smaller than the 4×4 blocks of the model.");
    // 8 blocks across, on which the convolution is singular.
    await writePng(
      path("even.png"),
      deadLeaves(createRandom(1, "even"), { width: 32, height: 24 }),
    );
    const lost = await runCommand("evaluate", model("singular"), path("even.png"), ...workers);
    expect(lost.code).toBe(1);
    expect(lost.stderr).toContain(
      "has no density at 1 of 1 images; the means do not include these: ",
    );
  });
});

describe("gaussianize sample", () => {
  test.each([undefined, 0.7])("draws the images of the library, temperature %s", async (t) => {
    const words = ["sample", model("images"), "--size", "24x16", "--seed", "3", ...workers];
    const result = await json(...words, ...(t === undefined ? [] : ["--temperature", `${t}`]));
    expect(result).toMatchObject({ model: model("images"), seed: 3, width: 24, height: 16 });
    expect(result.temperature).toBe(t);
    const options = { width: 24, height: 16, seed: 3, temperature: t ?? 1 };
    const { pixels } = await sampleImage(simdRunner, imageModels.images.transform, options);
    // Rows of the image, as in .npz.
    const rows = Array.from({ length: 16 }, (_, row) =>
      Array.from(Float32Array.from(pixels.subarray(24 * row, 24 * (row + 1)))),
    );
    expect(result.x).toEqual([rows]);
  });

  test("draws 256×256 pixels by default, and sheets of several images", async () => {
    const one = await runCommand("sample", model("linearLight"), "-o", path("one.png"), ...workers);
    expect(one.code).toBe(0);
    expect(one.stderr).toMatch(
      /: 1 image of 256×256 pixels; \d+ % of the values are beyond black \(0\) or white \(1\)\.\n$/,
    );
    expect(await decodeImage(path("one.png"), "grey")).toMatchObject({ width: 256, height: 256 });
    const words = ["sample", model("images"), "--size", "24×16", "-n", "3"];
    await runCommand(...words, "-o", path("three.png"), ...workers);
    expect(await decodeImage(path("three.png"), "grey")).toMatchObject({ width: 51, height: 35 });
    await runCommand(...words, "-o", path("three.npz"), ...workers);
    const { x } = readNpz(await readFile(path("three.npz")));
    expect(x.shape).toEqual([3, 16, 24]);
    expect(x.values.slice(0, 384)).not.toEqual(x.values.slice(384, 768));
  });

  test.each([
    [
      ["images", "--size", "250x250"],
      2,
      "--size must be multiples of 4, the stride of the model; received 250x250",
    ],
    [
      ["images", "--size", "4"],
      2,
      "It must be a width and a height in pixels".replace("It must", "must"),
    ],
    [["images", "--size", "9996x9996"], 2, "must ask for at most 8,388,608 pixels in .png or JSON"],
    [["bounded", "--size", "8x8"], 1, "is not onto"],
    [["singular", "--size", "16x12"], 1, "it loses the frequency (2, 0)"],
  ] as const)("refuses %j", async ([name, ...words], code, what) => {
    const ran = await runCommand("sample", model(name), ...words, "--json", ...workers);
    expectRefusal(ran, code, what);
  });

  test("rejects --size for patches", async () => {
    const ran = await runCommand("sample", path("gdn"), "--size", "8x8", "--json");
    expectRefusal(ran, 2, "--size is for models of whole images");
  });
});

describe("gaussianize verify", () => {
  test("examines its own sample", async () => {
    const { code, stdout, stderr } = await runCommand("verify", model("images"), ...workers);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const text = flat(stdout);
    expect(text).toMatch(/^Proven: stage 2 \(gdn, column\) is invertible everywhere/m);
    expect(text).toContain("Data: a sample of the model itself, 64×64 pixels.\nComputed: stage 1");
    expect(text).toMatch(/^Observed over 256 locations: every pivot/m);
    expect(text).toMatch(/^Observed: g⁻¹\(g\(x\)\) is x to .* over all 4,096 pixels\.$/m);
    expect(text).toMatch(
      /^Observed: the log-determinant of the middle 12×12 pixels is .* nats, by the dense Jacobian/m,
    );
  });

  test("examines images", async () => {
    const result = await json("verify", model("images"), path("0.png"), path("1.png"), ...workers);
    const data = result.data as { source: string; size: string; passed: boolean }[];
    expect(data.map(({ source, size, passed }) => [source, size, passed])).toEqual([
      [path("0.png"), "28×24", true],
      [path("1.png"), "40×24", true],
    ]);
  });

  test("fails if the model does", async () => {
    const bounded = await runCommand("verify", model("bounded"), ...workers);
    expect(bounded.code).toBe(1);
    expect(bounded.stdout).toContain("Data: none, because the model has no samples.");
    expect(bounded.stderr).toContain("is not invertible");
    await writePng(
      path("even.png"),
      deadLeaves(createRandom(1, "even"), { width: 32, height: 24 }),
    );
    const singular = await runCommand("verify", model("singular"), path("even.png"), ...workers);
    expect(singular.code).toBe(1);
    expect(singular.stdout).toContain("is singular on 8×6 locations");
    expect(singular.stderr).toContain("is not invertible on images of 32×24 pixels");
  });
});

describe("gaussianize denoise", () => {
  test("denoises with a model of whole images, and prints PSNR and SSIM", async () => {
    const words = [path("0.png"), "--add-noise", "25", "--model", model("noisyImages"), ...workers];
    const result = await json("denoise", ...words, "-o", path("clean.png"));
    expect(await decodeImage(path("clean.png"), "grey")).toMatchObject({ width: 30, height: 26 });
    expect(result).toHaveProperty("mean");
    const coarse = await json("denoise", ...words, "--stride", "4");
    expect(coarse.mean).not.toEqual(result.mean);
    const far = await runCommand("denoise", ...words, "--stride", "8");
    expect(far.stderr).toContain(
      "Shifts of the grid of 4×4 blocks must be at most 4 pixels apart: using --stride 4 instead of 8.",
    );
  });

  test.each([
    [["--model", "images"], "--model must be fitted to noisy images"],
    [["--model", "noisyImages", "--self"], "--self is for models of patches"],
  ] as const)("refuses %j", async ([option, name, ...more], what) => {
    const words = [
      path("0.png"),
      "-o",
      path("x.png"),
      "--sigma",
      "25",
      option,
      model(name),
      ...more,
    ];
    expectRefusal(await runCommand("denoise", ...words, ...workers), 2, what);
  });
});

test("export writes convolutions tap by tap, as a process of its own", async () => {
  const { code, stdout } = await runProcess("export", model("images"), "--npz", path("m.npz"));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^stages\.1\.weights +2×3×16×16$/m);
  expect(readNpz(await readFile(path("m.npz")))["stages.1.weights"].shape).toEqual([2, 3, 16, 16]);
});

test.each([
  ["inspect", "images"],
  ["verify", "images"],
] as const)("%s works as a process of its own", async (command, name) => {
  const { code, stderr } = await runProcess(command, model(name));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
