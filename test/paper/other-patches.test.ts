import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import type { ExperimentResult, FitRequest, PaperFit } from "../../paper/experiment.js";
import { otherPatches } from "../../paper/other-patches.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { type ImageReading, protocolOf } from "../../src/patches/image-reading.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fittedGaussian, quickPaperContext, valueNamed } from "../support/paper-context.js";

const requests: FitRequest[] = [];
let folder = "";
let paths: string[] = [];
let result: ExperimentResult;

const readingOfKodak: ImageReading = {
  luminance: "linear",
  dequantize: false,
  layout: { size: 8, removeMean: false },
};

/** Symmetric fits have another scale, and the last scene is held out. */
function gaussianFor({ name, protocol, symmetric: isSymmetric = false }: FitRequest): PaperFit {
  return fittedGaussian(isSymmetric ? `${name}, symmetric` : name, {
    reading: protocol === undefined ? readingOfKodak : protocolOf(protocol),
    scale: isSymmetric ? 3 : 2,
    isSymmetric,
    images: paths.slice(0, 2),
    heldOut: paths.slice(2),
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-other-patches-"));
  paths = [0, 1, 2].map((k) => join(folder, `${k}.png`));
  for (const [k, path] of paths.entries()) {
    await writePng(path, deadLeaves(createRandom(5, "scene", k), { width: 60, height: 40 }));
  }
  result = await otherPatches.run({
    ...(await quickPaperContext(paths)),
    fit: (request) => {
      requests.push(request);
      return Promise.resolve(gaussianFor(request));
    },
  });
});
afterAll(() => rm(folder, { recursive: true }));

test("fits a plain and a symmetric model to each kind of patches, with held-out images", () => {
  expect(requests.map(({ symmetric = false }) => symmetric)).toEqual([false, true, false, true]);
  expect(requests.map(({ heldOut }) => heldOut)).toEqual([0.1, 0.1, 0.1, 0.1]);
  expect(new Set(requests.map(({ name }) => name)).size).toBe(4);
});

test("evaluates images of the fit and held-out ones separately", () => {
  const [, , plain] = requests;
  const valueOf = (where: string): number =>
    valueNamed(result, `ΔJ of ${plain.name}, without noise, ${where}`);
  expect(valueOf("images of the fit")).not.toBe(valueOf("held-out images"));
  // ΔJ = ½ E‖y‖² − ½ E‖x‖² − log|det| per pixel, with y = 2 x. Grey levels are small numbers.
  expect(valueOf("images of the fit")).toBeGreaterThan(-Math.LN2);
  expect(valueOf("images of the fit")).toBeLessThan(1.5 - Math.LN2);
});

test("shows photographs beside draws of both models", () => {
  const [figures] = result.blocks.filter((block) => block.kind === "figures");
  expect(figures.figures.map(({ caption }) => caption)).toEqual([
    "Photographs",
    requests[2].name,
    `${requests[3].name}, symmetric`,
  ]);
});
