import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writePng } from "../../node/figures.js";
import type { ExperimentResult, FitRequest, PaperFit } from "../../paper/experiment.js";
import { ideas } from "../../paper/ideas.js";
import { ideaModels, ideaPairs, ideaRequest, ideaTitle } from "../../paper/parts/idea-models.js";
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { protocolOf } from "../../src/patches/image-reading.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fittedGaussian, quickPaperContext, valueNamed } from "../support/paper-context.js";

const requests: FitRequest[] = [];
const parts: string[] = [];
let folder = "";
let result: ExperimentResult;

/** More layers, components and couplings make the Gaussian narrower. */
function gaussianFor(request: FitRequest): PaperFit {
  const { layers = 1, components = 1, couplings = 0, symmetric: isSymmetric = false } = request;
  const scale = 2 + layers / 10 + components / 5 + couplings / 500;
  return fittedGaussian(request.name, { reading: protocolOf("bsds63"), scale, isSymmetric });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-ideas-"));
  const paths: string[] = [];
  for (const k of [0, 1, 2]) {
    paths.push(join(folder, `${k}.png`));
    const size = { width: 60, height: 40 };
    await writePng(paths[k], deadLeaves(createRandom(3, "scene", k), size));
  }
  const context = await quickPaperContext(paths);
  result = await ideas.run({
    ...context,
    part: (experiment, key, make) => {
      parts.push(`${experiment} ${key}`);
      return make();
    },
    fit: (request) => {
      requests.push(request);
      return Promise.resolve(gaussianFor(request));
    },
  });
});
afterAll(() => rm(folder, { recursive: true }));

const nats = (title: string): number =>
  valueNamed(result, `log-likelihood of ${title}, 4,000 patches`);

function tableRows(index: number): readonly (readonly (string | number)[])[] {
  const tables = result.blocks.filter(
    (block): block is Extract<ReportBlock, { kind: "table" }> => block.kind === "table",
  );
  return tables[index].rows;
}

describe("the models", () => {
  test("have names of their own, and come after those that they build on", () => {
    const sizes = { quick: false, steps: null };
    const names = ideaModels.map((model) => ideaRequest(model, sizes).name);
    expect(new Set(names).size).toBe(names.length);
    const titles = ideaModels.map(({ options }) => ideaTitle(options));
    ideaModels.forEach(({ over }, k) => {
      if (k === 0) expect(over).toBeUndefined();
      else expect(titles.slice(0, k)).toContain(ideaTitle(over ?? { layers: 0 }));
    });
    for (const { neither, first, second, both } of ideaPairs) {
      for (const options of [neither, first, second, both]) {
        expect(titles).toContain(ideaTitle(options));
      }
    }
  });

  test("differ in quick runs and with other steps", () => {
    const [model] = ideaModels;
    const requestOf = (quick: boolean, steps: number | null) =>
      ideaRequest(model, { quick, steps });
    expect(requestOf(false, null)).toMatchObject({ name: "bsds63-gdn-2000-steps", steps: 2000 });
    expect(requestOf(true, null).name).toBe("embedded-bsds63-gdn-150-steps");
    // The command adds these steps to the name.
    expect(requestOf(false, 7)).toMatchObject({ name: "bsds63-gdn", steps: 7 });
  });
});

describe("the experiment", () => {
  test("fits each model once, and keeps its scores", () => {
    expect(requests).toHaveLength(ideaModels.length);
    expect(new Set(parts).size).toBe(ideaModels.length);
    // The name of the fit, a digest of its model, and the number of patches.
    expect(parts[1]).toMatch(/^ideas embedded-bsds63-gdn-symmetric-150-steps-[0-9a-f]+-4000$/);
  });

  test("gives the differences of means on the same patches, with smaller errors", () => {
    const gains = result.numbers.filter(({ name }) => name.startsWith("gain of "));
    expect(gains).toHaveLength(ideaModels.length - 1);
    for (const { name, value, standardError } of gains) {
      const [, title, base] = /^gain of (.*), over (.*)$/.exec(name) ?? [];
      expect(value).toBeCloseTo(nats(title) - nats(base), 8);
      expect(standardError).toBeLessThan(8);
    }
  });

  test("shows every model, and whether gains add up", () => {
    const rows = tableRows(0);
    expect(rows.map(([title]) => title)).toEqual(requests.map((_, k) => titleOf(k)));
    expect(rows[1].slice(2, 4)).toEqual([
      expect.stringMatching(/^[+−]0\.\d+\u00a0±\u00a00\.\d+$/),
      "one layer",
    ]);
    expect(tableRows(1)).toHaveLength(ideaPairs.length);
    const [first, second, both, excess] = tableRows(1)[3].slice(3).map(numberIn);
    expect(excess).toBeCloseTo(both - first - second, 1);
  });

  test("states what the numbers show", () => {
    const texts = result.blocks.flatMap((block) =>
      block.kind === "paragraph" && typeof block.text === "string" ? [block.text] : [],
    );
    expect(texts.join(" ")).toMatch(/(All|\d+ of the) 11 gains exceed 2 standard errors/);
    expect(texts.join(" ")).toContain("one standard error over images");
    expect(texts.join(" ")).not.toContain("no density");
  });
});

function titleOf(k: number): string {
  return ideaTitle(ideaModels[k].options);
}

function numberIn(cell: string | number): number {
  return Number(String(cell).split("\u00a0")[0].replace("−", "-"));
}
