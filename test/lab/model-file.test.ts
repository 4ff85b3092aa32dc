import { describe, expect, test } from "vitest";
import { readAnyModelFile } from "../../lab/compute/model-file.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";

const transform = startingGdn({ structure: "column", dimension: 64 });

describe("a model file that somebody dropped", () => {
  test("is read", async () => {
    const file = new Blob([
      encodeModel({ transform, about: { name: "Own" } }) as Uint8Array<ArrayBuffer>,
    ]);
    expect(await readAnyModelFile(file, "x")).toMatchObject({ about: { name: "Own" } });
  });

  test("and is something else, larger than the page has room for, is not read", async () => {
    let most = 0;
    class LargeFile extends Blob {
      override readonly size = 2 ** 34;
      override slice(from = 0, to = this.size): Blob {
        most = Math.max(most, to - from);
        // By its first bytes it has a header of gigabytes.
        return new Blob([new Uint8Array(Math.min(to - from, 2 ** 20)).fill(1)]);
      }
    }
    await expect(readAnyModelFile(new LargeFile(), "film.safetensors")).rejects.toThrow(
      "film.safetensors is too large for this page.",
    );
    expect(most).toBeLessThan(2 ** 20);
  });

  test("and is the checkpoint of a fit is called that, however large it is", async () => {
    const bytes = encodeCheckpoint({
      transform,
      optimiser: { name: "sgd", steps: 0, moments: [] },
      gradientLength: 0,
      step: 3,
      damping: 1,
      rejectedSteps: 0,
      history: [],
      best: null,
    });
    const file = new Blob([bytes as Uint8Array<ArrayBuffer>]);
    await expect(readAnyModelFile(file, "checkpoint.safetensors")).rejects.toThrow(
      /^checkpoint\.safetensors is the checkpoint of a fit, not a model: drop it on Train .* model\.safetensors or preview\.safetensors/,
    );
  });
});
