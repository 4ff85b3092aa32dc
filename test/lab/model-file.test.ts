import { describe, expect, test } from "vitest";
import { readAnyModelFile } from "../../lab/compute/model-file.js";
import { encodeModel } from "../../src/density/model-files/model-file.js";
import { encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { expectError } from "../support/expect-error.js";

const transform = startingGdn({ structure: "column", dimension: 64 });

describe("a dropped model file", () => {
  test("is read", async () => {
    const file = new Blob([
      encodeModel({ transform, about: { name: "Own" } }) as Uint8Array<ArrayBuffer>,
    ]);
    expect(await readAnyModelFile(file, "x")).toMatchObject({ about: { name: "Own" } });
  });

  test("is not read if it is too large", async () => {
    let most = 0;
    class LargeFile extends Blob {
      override readonly size = 2 ** 34;
      override slice(from = 0, to = this.size): Blob {
        most = Math.max(most, to - from);
        // These bytes claim a header of gigabytes.
        return new Blob([new Uint8Array(Math.min(to - from, 2 ** 20)).fill(1)]);
      }
    }
    await expectError(readAnyModelFile(new LargeFile(), "film.safetensors"), {
      code: "unsupported-file",
      phrase: "film.safetensors is too large",
    });
    expect(most).toBeLessThan(2 ** 20);
  });

  test("is rejected with advice if it is a checkpoint", async () => {
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
    await expectError(readAnyModelFile(file, "x.safetensors"), {
      code: "unsupported-file",
      phrase:
        /^x\.safetensors is a checkpoint.* Train .* model\.safetensors or preview\.safetensors/,
    });
  });
});
