import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeImage } from "../../node/decode-image.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import { writePng } from "../../node/figures.js";
import { cascade } from "../../paper/cascade.js";
import type { ExperimentResult, ImageFitRequest, PaperImageFit } from "../../paper/experiment.js";
import { type GreyImage, centralCrop } from "../../src/images/grey-image.js";
import { handMadeCascade } from "./hand-made-cascade.js";
import { simdRunner } from "../support/inline-runners.js";
import { quickPaperContext, valueNamed } from "../support/paper-context.js";

/** Size of the central crops of photographs: small, so that a fit takes a second. */
const size = { width: 144, height: 112 };
const requests: ImageFitRequest[] = [];
let folder = "";
let result: ExperimentResult;

async function fitTo(paths: readonly string[]): Promise<PaperImageFit> {
  const [images, heldOut] = [paths.slice(0, 3), paths.slice(3)];
  const read: GreyImage[] = [];
  for (const path of images) read.push(await decodeImage(path, "linear"));
  const transform = await handMadeCascade(simdRunner, read, { stride: 2, steps: 300 });
  const about = {
    patch: { width: 2, height: 2, luminance: "linear" },
    preprocessing: { dequantization: "uniform" },
  } as const;
  return {
    title: "hand-made",
    path: "none",
    dataHash: "sha256:0",
    command: "none",
    steps: 300,
    seconds: 1,
    images,
    heldOut,
    model: { transform, about },
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-cascade-"));
  const paths: string[] = [];
  for (const [k, { path }] of embeddedPhotographs().slice(0, 5).entries()) {
    paths.push(join(folder, `${k}.png`));
    await writePng(paths[k], centralCrop(await decodeImage(path, "grey"), size));
  }
  const fit = await fitTo(paths);
  const context = await quickPaperContext(paths);
  const fitImages = (request: ImageFitRequest) => {
    requests.push(request);
    return Promise.resolve(fit);
  };
  result = await cascade.run({ ...context, fitImages, steps: 200 });
});
afterAll(() => rm(folder, { recursive: true }));

const valueOf = (name: string): number => valueNamed(result, name);

describe("the experiment on cascades", () => {
  test("requests a second stage of independent components, and both stages fitted together", () => {
    expect(requests.map(({ name }) => name)).toEqual([
      "embedded-cascade-small-cica",
      "embedded-cascade-small-joint",
    ]);
    expect(requests[0]).toMatchObject({ greedy: 1, secondNormalization: "marginal" });
    expect(requests[1]).toMatchObject({ secondNormalization: "gdn", heldOut: 0.25 });
  });

  test("reports the divergences of the second stage and their quotient", () => {
    for (const images of ["images left out", "images fitted to"]) {
      const [before, after] = ["second CICA", "second GDN"].map((stage) =>
        valueOf(`KL divergence of ${stage} from normal, ${images}, small`),
      );
      expect(valueOf(`their quotient, ${images}, small`)).toBeCloseTo(before / after, 9);
    }
    // The GDN that was fitted to these responses is nearer to normal than they are.
    expect(valueOf("their quotient, images fitted to, small")).toBeGreaterThan(1);
  });

  test("finds less mutual information between neighbours after two stages, and none in another image", () => {
    const bits = (stage: string, kind: string): number =>
      valueOf(`mutual information after ${stage}, ${kind}, small`);
    const kind = "same filter, to the right";
    expect(bits("second GDN", kind)).toBeLessThan(bits("first GDN", kind));
    // 2000 pairs of each of four filters: a standard error of a few hundredths for each.
    expect(Math.abs(bits("second GDN", "another image"))).toBeLessThan(0.03);
  });

  test("finds less mutual information between filters after two stages", () => {
    const bits = (stage: string): number =>
      valueOf(`mutual information after ${stage}, next filter, same location, small`);
    expect(bits("first GDN")).toBeGreaterThan(bits("second GDN"));
  });

  test("recovers whole images to 1e-4, and finds them more likely with two stages", () => {
    expect(valueOf("round trip of a whole image, hand-made")).toBeLessThan(1e-4);
    const [one, two] = ["one stage", "two stages, one after the other"].map((title) =>
      valueOf(`log-likelihood of ${title}, images fitted to, small`),
    );
    expect(two).toBeGreaterThan(one);
  });

  test("shows the paper's figure, and draws of 128×128 pixels or more beside a photograph", () => {
    const groups = result.blocks.flatMap((block) =>
      block.kind === "figures" ? [block.figures] : [],
    );
    const [marginals, samples] = groups;
    expect(marginals).toHaveLength(4);
    for (const figure of marginals) {
      expect("svg" in figure && figure.svg).toContain("and each of 4 parts");
    }
    expect(samples.map(({ caption }) => caption)).toEqual([
      "a photograph that was left out",
      "one stage",
      "two stages, one after the other",
      "two stages together",
    ]);
    for (const figure of samples.slice(1)) {
      expect("alt" in figure && figure.alt).toMatch(/, 160×160 pixels\.$/);
    }
  });
});
