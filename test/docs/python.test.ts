/** The Python programs in the documentation compute what this program computes. */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { writeModel } from "../../node/model-files.js";
import { openImageSet } from "../../node/image-set.js";
import { logProb } from "../../src/density/induced-density.js";
import type { AnyModel, Model } from "../../src/density/model-files/model.js";
import { requireReading } from "../../src/density/model-files/model-reading.js";
import { codeWidths } from "../../src/preprocessing/dequantize.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import { commandModels, modelFolder, runCommand } from "../support/commands.js";
import { expectClose } from "../support/expect-close.js";
import { imageModels } from "../support/image-models.js";
import { referenceRunner } from "../support/inline-runners.js";
import { randomLayer } from "../support/models.js";
import { pythonWithNumpy, readNpz } from "../support/python.js";
import { seed } from "../support/seed.js";
import { couplingCase } from "../support/transform-cases.js";

const python = pythonWithNumpy();
if (python === undefined) {
  console.warn("Skipped: the Python programs in the documentation, since there is no numpy.");
}

const blocksOf = async (page: string): Promise<string[]> =>
  [...(await readFile(page, "utf8")).matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code);

const random = createRandom(seed, "Python");
const curve = { lower: -0.1, upper: 1.2, rate: 1.5, asymmetry: 0.8, center: 0.3 };
const ofPatches = (n: number) =>
  cascade([
    pointwise({ dimension: n, ...curve }),
    affine({ dimension: n, scale: new Float32Array(n).fill(-2) }),
    couplingCase("Python", { dimension: n, hidden: 6, given: "odd" }).transform,
    randomLayer(random, "general", { n }),
    randomLayer(random, "low-rank", { n }),
  ]);

/** Linear light, dequantised and not; and without the mean. */
const models = {
  linear: {
    transform: ofPatches(9),
    about: { patch: { width: 3, height: 3, luminance: "linear" } },
  },
  spread: {
    transform: ofPatches(9),
    about: {
      patch: { width: 3, height: 3, luminance: "linear" },
      preprocessing: { dequantization: "uniform" },
    },
  },
  centred: {
    transform: randomLayer(random, "column", { n: 8 }),
    about: { patch: { width: 3, height: 3, removeMean: true } },
  },
  gdn: commandModels.gdn,
  whole: { ...imageModels.linearLight },
} satisfies Record<string, AnyModel>;
type Name = keyof typeof models;

const { path } = await modelFolder();
const folderOf = (name: Name): string => path(`of-${name}`);
const photo = path("photo.png");

interface Result {
  /** Input of the model; null for whole images. */
  readonly x: number[][] | null;
  readonly log_p: number[] | number;
}
const results = new Map<Name, Result>();

/** All programs in one process: most of the time goes into loading numpy. */
beforeAll(async () => {
  if (python === undefined) return;
  const [width, height] = [14, 11];
  const rgb = Uint8Array.from({ length: 3 * width * height }, () => random.integer(256));
  await sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toFile(photo);
  for (const [name, model] of Object.entries(models) as [Name, AnyModel][]) {
    await mkdir(folderOf(name));
    const file = join(folderOf(name), "model.safetensors");
    await writeModel(file, model);
    await runCommand("export", file, "--npz", join(folderOf(name), "model.npz"));
    await writeFile(join(folderOf(name), "photo.npy"), npyOf(rgb, [height, width, 3]));
  }
  const [, functions, reading, ofGrid, imageFunctions, ofImage] =
    await blocksOf("docs/model-files.md");
  const programs = (Object.keys(models) as Name[]).map((name) => ({
    folder: folderOf(name),
    code: (name === "whole"
      ? [functions, reading, imageFunctions, ofImage]
      : [functions, reading, ofGrid]
    ).join("\n"),
  }));
  await writeFile(path("programs.json"), JSON.stringify(programs));
  await promisify(execFile)(python, ["-c", driver, path("programs.json")]);
  for (const name of Object.keys(models) as Name[]) {
    const result = await readFile(join(folderOf(name), "result.json"), "utf8");
    results.set(name, JSON.parse(result) as Result);
  }
});

const driver = `
import json, os, sys
for program in json.load(open(sys.argv[1])):
    os.chdir(program["folder"])
    names = {}
    exec(program["code"], names)
    found = {"x": names["x"].tolist() if "x" in names else None, "log_p": names["log_p"].tolist()}
    json.dump(found, open("result.json", "w"))
`;

/** Bytes in the layout of numpy. */
function npyOf(bytes: Uint8Array, shape: readonly number[]): Uint8Array {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
  const text = `${header.padEnd(117)}\n`;
  return Buffer.concat([
    Buffer.from([0x93]),
    Buffer.from("NUMPY\x01\x00v\x00"),
    Buffer.from(text),
    bytes,
  ]);
}

/** The same figures from `gaussianize evaluate`. */
async function scoresOf(name: Name, ...words: readonly string[]): Promise<readonly number[]> {
  const file = join(folderOf(name), "scores.npz");
  const model = join(folderOf(name), "model.safetensors");
  const ran = await runCommand("evaluate", model, photo, ...words, "--npz", file, "--workers", "0");
  expect(ran.code).toBe(0);
  return readNpz(await readFile(file)).log_prob.values;
}

describe.skipIf(python === undefined)("the Python programs of docs/model-files.md", () => {
  test.each(["linear", "centred", "gdn"] as const)(
    "%s: log p of a picture's patches is that of evaluate --npz",
    async (name) => {
      const expected = await scoresOf(name, "--grid");
      expect(expected.length).toBeGreaterThan(5);
      // The kernels compute in Float32.
      expectClose(results.get(name)?.log_p as number[], expected, {
        relative: 1e-5,
        absolute: 1e-4,
      });
    },
  );

  test("log p of a whole image is that of evaluate --npz", async () => {
    const [expected] = await scoresOf("whole");
    expectClose(results.get("whole")?.log_p as number, expected, { relative: 1e-5 });
  });

  test("dequantised values lie in the intervals of their codes, and have the density of the library", async () => {
    const { x, log_p: found } = results.get("spread") as Result;
    const values = Float64Array.from((x as number[][]).flat());
    const model: Model = models.spread;
    expectClose(found, await logProb(referenceRunner, model.transform, values), {
      relative: 1e-9,
    });
    const reading = requireReading(model);
    const image = await (await openImageSet([photo], reading)).load(0, 0);
    if (!image) throw new Error("The photograph was not loaded.");
    const widths = codeWidths(image.pixels, image);
    // Both are uniform in the same interval: never further apart than it is wide.
    (x as number[][]).forEach((patch, k) => {
      const [left, top] = [3 * (k % 4), 3 * Math.floor(k / 4)];
      patch.forEach((value, i) => {
        const at = (top + Math.floor(i / 3)) * image.width + left + (i % 3);
        expect(Math.abs(value - image.pixels[at])).toBeLessThanOrEqual(1.001 * widths[at]);
      });
    });
  });
});

describe.skipIf(python === undefined)("the Python program of docs/commands.md", () => {
  test("names the least likely patch of evaluate --npz", async () => {
    const scores = await scoresOf("gdn", "--grid");
    const [code] = await blocksOf("docs/commands.md");
    const options = { cwd: folderOf("gdn") };
    const { stdout } = await promisify(execFile)(python as string, ["-c", code], options);
    const least = scores.indexOf(Math.min(...scores));
    // Three patches of 4×4 pixels in a row of 14.
    expect(stdout).toBe(`${photo} ${4 * (least % 3)} ${4 * Math.floor(least / 3)}\n`);
  });
});
