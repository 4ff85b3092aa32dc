import { describe, expect, test } from "vitest";
import { readAnyModelFile } from "../../lab/compute/model-file.js";
import { encodeCheckpoint, encodeModel, startingGdn } from "../../src/index.js";

const transform = startingGdn({ structure: "column", dimension: 64 });

describe("a model file that somebody dropped", () => {
  test("is read", async () => {
    const file = new Blob([
      encodeModel({ transform, about: { name: "Own" } }) as Uint8Array<ArrayBuffer>,
    ]);
    expect(await readAnyModelFile(file, "x")).toMatchObject({ about: { name: "Own" } });
  });

  test("and is the checkpoint of a fit is called that, however large it is", async () => {
    const bytes = encodeCheckpoint({
      transform,
      optimiser: { name: "sgd", steps: 0, moments: [] },
      ...{ gradientLength: 0, step: 3, damping: 1, rejectedSteps: 0, history: [], best: null },
    });
    const file = new Blob([bytes as Uint8Array<ArrayBuffer>]);
    await expect(readAnyModelFile(file, "checkpoint.safetensors")).rejects.toThrow(
      /^checkpoint\.safetensors is the checkpoint of a fit, not a model: drop it on Train .* model\.safetensors or preview\.safetensors/,
    );
  });
});
