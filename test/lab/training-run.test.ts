import { describe, expect, test } from "vitest";
import type { FitTerms } from "../../node/fit-terms.js";
import { picturesFor, runOf, runOfCheckpoint } from "../../lab/panels/train/training-run.js";
import { commandOf, termsOf, trainSettings } from "../../lab/panels/train/train-settings.js";
import { readSettings } from "../../lab/address.js";
import { encodeCheckpoint, startingGdn } from "../../src/index.js";

const usual = readSettings(trainSettings, { panel: "train", values: new Map() });
const terms: FitTerms = termsOf(usual, ["b.png", "a.png"]);

/** As a file has it; what it says of its run is all that counts here. */
function checkpoint(run: string): Uint8Array {
  const H = Float64Array.of(1, 0, 0, 1);
  return encodeCheckpoint(
    {
      transform: startingGdn({ structure: "radial", dimension: 2, H }),
      optimiser: { name: "sgd", steps: 0, moments: [] },
      ...{ gradientLength: 0, step: 3, damping: 1, rejectedSteps: 0, history: [], best: null },
    },
    run,
  );
}

async function sum(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

describe("what a checkpoint says of its fit", () => {
  test("comes back as it was", async () => {
    const run = runOf(terms, "sha256:12");
    expect(await runOfCheckpoint(checkpoint(run.id), "x", null)).toEqual(run);
  });

  test("of the command, it is that of config.json, if it belongs to it", async () => {
    const config = new TextEncoder().encode(
      JSON.stringify({ format: "gaussianize-run", ...terms, fingerprint: "sha256:34" }),
    );
    const file = checkpoint(await sum(config));
    expect(await runOfCheckpoint(file, "x", config)).toMatchObject({ fingerprint: "sha256:34" });
    const other = runOfCheckpoint(checkpoint("ab"), "x.safetensors", config);
    await expect(other).rejects.toThrow("x.safetensors and config.json are of different runs.");
    await expect(runOfCheckpoint(file, "x.safetensors", null)).rejects.toThrow(
      "drop the config.json",
    );
  });

  test.each([
    ["nothing", {}],
    ["no fingerprint", { terms }],
    ["images that are no names", { terms: { ...terms, images: [3] }, fingerprint: "" }],
    ["steps that are no number", { terms: { ...terms, steps: "9" }, fingerprint: "" }],
  ])("%s is refused in a sentence", async (_, record) => {
    const run = JSON.stringify({ format: "gaussianize-lab", version: "1", ...record });
    await expect(runOfCheckpoint(checkpoint(run), "x", null)).rejects.toThrow(
      "x does not say what its fit was asked for.",
    );
  });

  test("of whole images it is refused", async () => {
    const { id } = runOf({ ...terms, cascade: "small" }, "");
    await expect(runOfCheckpoint(checkpoint(id), "x", null)).rejects.toThrow("whole images");
  });

  test("pictures are taken in its order, and missing ones named", () => {
    const [a, b] = ["a.png", "b.png"].map((name) => new File(["1"], name));
    const paths = ["/photos/b.png", "C:\\photos\\a.png"];
    expect(picturesFor({ ...terms, images: paths }, [a, b])).toEqual([b, a]);
    expect(() => picturesFor({ ...terms, images: ["b.png", "b.png"] }, [a, b])).toThrow(
      "The checkpoint was made with pictures that are not here: b.png.",
    );
  });
});

test("the command has all that is not its default, and only for pictures it can name", () => {
  expect(commandOf(terms, 0)).toBe("gaussianize fit PICTURES/ --steps 1000 -o RUN");
  const others = { ...usual, model: "ica-mg", patch: "16", seed: 7, heldOut: 0 } as const;
  const eight = termsOf(others, Array<string>(8).fill("image.jpg"));
  expect(commandOf(eight, 8)).toBe(
    "gaussianize fit --embedded --model ica-mg --patch 16 --steps 1000 --held-out 0 --seed 7 -o RUN",
  );
  expect(commandOf(eight, 3)).toBeNull();
});
