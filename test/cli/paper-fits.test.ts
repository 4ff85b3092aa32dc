import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fitForPaper } from "../../cli/paper/fits.js";
import { writePng } from "../../node/figures.js";
import type { FitRequest } from "../../paper/experiment.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import { createRandom } from "../../src/random/random-stream.js";
import { recordEffects } from "../support/commands.js";
import { simdRunner } from "../support/inline-runners.js";

let folder = "";
const images: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-paper-fits-"));
  for (const k of [0, 1]) {
    images.push(join(folder, `${k}.png`));
    const size = { width: 60, height: 40 };
    await writePng(images[k], deadLeaves(createRandom(3, "scene", k), size));
  }
});
afterAll(() => rm(folder, { recursive: true }));

function fit(request: Partial<FitRequest>) {
  const signal = new AbortController().signal;
  const context = { runner: simdRunner, seed: 1, signal, quick: false };
  const place = { folder, dataFolder: "data", steps: 3, command: "again" };
  const whole = { name: "model", set: "set", model: "gdn", patch: 3, noise: true, heldOut: 0.5 };
  return fitForPaper(
    { ...context, images: () => Promise.resolve(images) },
    { ...whole, ...request } as FitRequest,
    place,
    recordEffects(),
  );
}

describe("fits of the paper's experiments", () => {
  test("can have couplings and poses, and are reused", async () => {
    const request = { name: "deep", layers: 2, couplings: 4, symmetric: true };
    const { title, command, model, path } = await fit(request);
    expect(title).toBe("GDN of 2 layers, couplings of 4 units, symmetric");
    expect(command).toContain("--model gdn --layers 2 --couplings 4 --symmetric");
    expect(model.transform.kind).toBe("symmetric-mixture");
    const before = await stat(path);
    expect((await fit(request)).model.transform.kind).toBe("symmetric-mixture");
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
  });

  test("can have components", async () => {
    const { title, command, model } = await fit({ name: "mixed", components: 2 });
    expect(title).toBe("GDN, 2 components");
    expect(command).toContain("--model gdn --components 2");
    expect(model.transform.kind).toBe("mixture");
  });

  test("are plain transforms without these options", async () => {
    const { title, command, model } = await fit({ name: "plain" });
    expect(title).toBe("GDN");
    expect(command).not.toMatch(/--(layers|couplings|components|symmetric)/);
    expect(model.transform.kind).toBe("cascade");
  });
});
