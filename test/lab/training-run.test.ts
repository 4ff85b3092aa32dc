import { describe, expect, test } from "vitest";
import { type FitTerms, fitTerms, requireFitTerms } from "../../src/runs/fit-terms.js";
import { picturesFor, runOf, runOfCheckpoint } from "../../lab/panels/train/training-run.js";
import { commandOf, termsOf, trainSettings } from "../../lab/panels/train/train-settings.js";
import { pathOfPhotograph } from "../../lab/panels/train/picture-paths.js";
import { labPhotographs } from "../../lab/photographs.js";
import { readSettings } from "../../lab/address.js";
import { encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";

const usual = readSettings(trainSettings, { panel: "train", values: new Map() });
const terms: FitTerms = termsOf(usual, ["b.png", "a.png"]);

/** Returns a checkpoint file of a run. */
function checkpoint(run: string): Uint8Array {
  const H = Float64Array.of(1, 0, 0, 1);
  return encodeCheckpoint(
    {
      transform: startingGdn({ structure: "radial", dimension: 2, H }),
      optimiser: { name: "sgd", steps: 0, moments: [] },
      gradientLength: 0,
      step: 3,
      damping: 1,
      rejectedSteps: 0,
      history: [],
      best: null,
    },
    run,
  );
}

async function sum(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

describe("the run of a checkpoint", () => {
  test("is the one that was stored", async () => {
    const run = runOf(terms, "sha256:12");
    expect(await runOfCheckpoint(checkpoint(run.id), "x", null)).toEqual(run);
  });

  test("is read from config.json for a checkpoint of the command", async () => {
    const config = new TextEncoder().encode(
      JSON.stringify({ format: "gaussianize-run", ...terms, fingerprint: "sha256:34" }),
    );
    const file = checkpoint(await sum(config));
    expect(await runOfCheckpoint(file, "x", config)).toMatchObject({ fingerprint: "sha256:34" });
    const other = runOfCheckpoint(checkpoint("ab"), "x.safetensors", config);
    await expect(other).rejects.toThrow("x.safetensors and config.json belong to different runs");
    await expect(runOfCheckpoint(file, "x.safetensors", null)).rejects.toThrow("config.json");
  });

  test("needs checksums for the command, and otherwise says where to open the lab", async (context) => {
    const { subtle } = crypto;
    context.onTestFinished(() => {
      Object.defineProperty(crypto, "subtle", { value: subtle, configurable: true });
    });
    const config = new TextEncoder().encode(JSON.stringify({ format: "gaussianize-run" }));
    const file = checkpoint(await sum(config));
    Object.defineProperty(crypto, "subtle", { value: undefined, configurable: true });
    await expect(runOfCheckpoint(file, "x", config)).rejects.toThrow(/https .*localhost/);
  });

  // Throws when it is converted to a text.
  const noText = { toString: 0, valueOf: 0 };

  test.each([
    ["nothing", {}, "the terms of x to be a record"],
    ["no fingerprint", { terms }, "does not name the pictures"],
    ["images that are no names", { terms: { ...terms, images: [3] } }, "images of x to be a list"],
    ["no images", { terms: { ...terms, images: [] } }, "images of x to be a list"],
    ["steps that are no number", { terms: { ...terms, steps: "9" } }, "steps of x to be a whole"],
    [
      "no steps",
      { terms: { ...terms, steps: 0 } },
      "steps of x to be a whole number of at least 1",
    ],
    ["a batch without end", { terms: { ...terms, batch: 2 ** 50 } }, "batch of x to be a whole"],
    ["a model without a text", { terms: { ...terms, model: noText } }, "model of x to be one of"],
    ["layers without end", { terms: { ...terms, layers: 1e9 } }, "layers of x to be a whole"],
  ])("is rejected with a message: %s", async (_, record, rule) => {
    const run = JSON.stringify({ format: "gaussianize-lab", version: "1", ...record });
    await expect(runOfCheckpoint(checkpoint(run), "x", null)).rejects.toThrow(rule);
  });

  test("is rejected for any wrong field of the terms", () => {
    const whole = { ...terms, cascade: "small", stages: 2, secondNormalization: "gdn" };
    const all = { ...whole, layers: 2, greedy: 0.5, noiseLevel: 0.1 };
    expect(requireFitTerms({ ...all, other: noText }, "x")).toEqual(all);
    for (const field of Object.keys(all)) {
      expect(() => requireFitTerms({ ...all, [field]: noText }, "x")).toThrow(`${field} of x`);
    }
  });

  test("is rejected for a fit of whole images", async () => {
    const { id } = runOf({ ...terms, cascade: "small" }, "");
    await expect(runOfCheckpoint(checkpoint(id), "x", null)).rejects.toThrow("whole images");
  });

  test("takes its pictures in order, and names missing ones", () => {
    const [a, b] = ["a.png", "b.png"].map((name) => new File(["1"], name));
    const paths = ["/photos/b.png", "C:\\photos\\a.png"];
    expect(picturesFor({ ...terms, images: paths }, [a, b])).toEqual([b, a]);
    expect(() => picturesFor({ ...terms, images: ["b.png", "b.png"] }, [a, b])).toThrow(
      "Missing: b.png.",
    );
  });
});

test("the command omits defaults, and exists only for pictures it can name", () => {
  expect(commandOf(terms)).toBe("gaussianize fit PICTURES/ --steps 1000 -o RUN");
  const others = { ...usual, model: "ica-mg", patch: 16, seed: 7, heldOut: 0 } as const;
  const paths = labPhotographs.map(pathOfPhotograph);
  expect(commandOf(termsOf(others, paths))).toBe(
    "gaussianize fit --embedded --model ica-mg --patch 16 --steps 1000 --held-out 0 --seed 7 -o RUN",
  );
  expect(commandOf(termsOf(others, paths.slice(0, 3)))).toBeNull();
  const lowRank = termsOf({ ...usual, patch: 16, rank: 16 }, ["a.png"]);
  expect(lowRank).toMatchObject({ poolRank: 16 });
  expect(commandOf(lowRank)).toBe(
    "gaussianize fit PICTURES/ --patch 16 --steps 1000 --pool-rank 16 -o RUN",
  );
  // Terms without a field in this panel.
  const noisy = fitTerms({ noiseLevel: 25 / 255, certified: true }, ["a.png"]);
  expect(commandOf(noisy)).toBe("gaussianize fit PICTURES/ --noise-level 25 --certified -o RUN");
  const agreed = fitTerms({ protocol: "bsds63", memory: 64 }, ["a.png"]);
  expect(commandOf(agreed)).toBe("gaussianize fit PICTURES/ --protocol bsds63 --memory 64 -o RUN");
  const silent = fitTerms({ protocol: "bsds63", noise: false }, ["a.png"]);
  expect(commandOf(silent)).toBe(
    "gaussianize fit PICTURES/ --remove-mean --luminance grey --no-noise -o RUN",
  );
  // No single command makes an extended fit.
  expect(commandOf({ ...terms, restarts: [40] })).toBeNull();
  // The rank applies to GDN only.
  expect(termsOf({ ...usual, model: "rg", rank: 16 }, ["a.png"])).not.toHaveProperty("poolRank");
});
