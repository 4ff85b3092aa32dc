import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import type { ExperimentResult, FitRequest, PaperFit } from "../../paper/experiment.js";
import { otherPatches } from "../../paper/other-patches.js";
import { symmetricMixture } from "../../src/density/mixtures/mixture.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { type ImageReading, aboutReading, protocolOf } from "../../src/patches/image-reading.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { quickPaperContext, valueNamed } from "../support/paper-context.js";

const requests: FitRequest[] = [];
let folder = "";
let paths: string[] = [];
let result: ExperimentResult;

const readingOfKodak: ImageReading = {
  luminance: "linear",
  dequantize: false,
  layout: { size: 8, removeMean: false },
};

/** A Gaussian of the 64 pixels; symmetric fits have another scale. The last scene is held out. */
function gaussianFor({ name, protocol, symmetric = false }: FitRequest): PaperFit {
  const scale = new Float64Array(64).fill(symmetric ? 3 : 2);
  const density = affine({ dimension: 64, scale });
  const about = aboutReading(protocol === undefined ? readingOfKodak : protocolOf(protocol));
  return {
    title: symmetric ? `${name}, symmetric` : name,
    path: "none",
    dataHash: "sha256:0",
    command: "none",
    steps: 1,
    seconds: 60,
    images: paths.slice(0, 2),
    heldOut: paths.slice(2),
    curve: { x: [], y: [] },
    model: symmetric
      ? { transform: symmetricMixture({ side: 8, removeMean: false, density }), about }
      : { transform: density, about },
  };
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
