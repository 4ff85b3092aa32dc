import { Linter } from "eslint";
import { describe, expect, test } from "vitest";
import tseslint from "typescript-eslint";
import { importDirection } from "../../scripts/lint/import-direction.js";
import config from "../../eslint.config.js";

/** The complaints about a file at `filename` with this one line in it. */
function complaints(filename: string, code: string): string[] {
  const messages = new Linter({ configType: "flat" }).verify(
    code,
    {
      files: ["**/*.ts"],
      languageOptions: { parser: tseslint.parser },
      plugins: { gaussianize: { rules: { "import-direction": importDirection } } },
      rules: { "gaussianize/import-direction": "error" },
    },
    filename,
  );
  return messages.map((message) => message.message);
}

describe("accepted", () => {
  test.each([
    ["src/density/score.ts", 'import { gdn } from "../transforms/gdn.js";'],
    ["src/density/score.ts", 'import { x } from "./induced-density.js";'],
    ["src/images/scene.ts", 'import { createRandom } from "../random/random-stream.js";'],
    ["src/transforms/gdn.ts", 'import type { Kernels } from "../kernels/kernels.js";'],
    ["src/wavelets/pyramid.ts", 'import { fourierPlan } from "../fourier/fourier-plan.js";'],
    ["src/transforms/deep/gdn.ts", 'import { expected } from "../../errors.js";'],
    ["src/parallel/team.ts", 'import type { Kernels } from "../kernels/kernels.js";'],
    ["src/kernels/wasm/load.ts", 'import { bytesBase64 } from "./generated/simd.js";'],
    ["src/random/ziggurat.ts", 'import { portableLog } from "../numbers/logarithm.js";'],
    [
      "lab/panels/pairs/frame.ts",
      'import { portableExp } from "../../../src/numbers/exponential.js";',
    ],
    ["paper/filters.ts", 'import { portableLog10 } from "../src/numbers/extended-logarithm.js";'],
    ["src/random/random-stream.ts", 'import { xorshift } from "pure-rand/generator/x";'],
    ["src/index.ts", 'export * from "./figures/filters.js";'],
    ["cli/commands/fit.ts", 'const { gdn } = await import("../../src/transforms/gdn.js");'],
    ["lab/page.ts", 'import { gdn } from "../src/transforms/gdn.js";'],
    ["cli/commands/fit.ts", 'import { readImage } from "../../node/read-image.js";'],
    ["cli/main.ts", 'import * as files from "node:fs/promises";'],
    ["node/team.ts", 'import { Worker } from "node:worker_threads";'],
    ["node/team.ts", 'import { serve } from "../src/parallel/serve.js";'],
    ["cli/commands/fit.ts", 'import { requireFitTerms } from "../../src/runs/fit-terms.js";'],
    ["lab/panels/train/train.ts", 'import { run } from "../../../src/runs/fit-terms.js";'],
    ["lab/vite.config.ts", 'import { pagePolicy } from "../node/lab/page-policy.js";'],
    ["lab/vite.config.ts", 'import { fileURLToPath } from "node:url";'],
    ["test/density/score.test.ts", 'import { run } from "../../cli/run.js";'],
  ])("%s: %s", (filename, code) => {
    expect(complaints(filename, code)).toEqual([]);
  });
});

describe("rejected", () => {
  test.each([
    ["src/transforms/gdn.ts", 'import { fit } from "../training/fit.js";'],
    ["src/transforms/gdn.ts", 'import type { Fit } from "../training/fit.js";'],
    ["src/transforms/gdn.ts", 'export * from "../training/fit.js";'],
    ["src/transforms/gdn.ts", 'const fit = await import("../training/fit.js");'],
    ["src/transforms/gdn.ts", 'type Fit = import("../training/fit.js").Fit;'],
    ["src/transforms/gdn.ts", 'import * as everything from "../index.js";'],
    ["src/transforms/gdn.ts", 'import { open } from "node:fs";'],
    ["src/transforms/gdn.ts", 'import { open } from "fs/promises";'],
    ["src/transforms/gdn.ts", 'import { readImage } from "../../node/images.js";'],
    ["src/transforms/gdn.ts", 'import { page } from "../../lab/page.js";'],
    ["src/fourier/fourier-plan.ts", 'import { createRandom } from "../random/random-stream.js";'],
    ["src/numbers/logarithm.ts", 'import { createRandom } from "../random/random-stream.js";'],
    ["src/random/random-stream.ts", 'import { load } from "../kernels/kernels.js";'],
    ["src/kernels/wasm/load.ts", 'import { team } from "../../parallel/team.js";'],
    ["src/errors.ts", 'import { createRandom } from "./random/random-stream.js";'],
    ["src/index.ts", 'export * from "../node/images.js";'],
    ["browser/team.ts", 'import { cpus } from "node:os";'],
    ["browser/team.ts", 'import { team } from "../node/team.js";'],
    ["cli/commands/fit.ts", 'import { gdn } from "../../src/index.js";'],
    ["bench/main.ts", 'import { run } from "../cli/run.js";'],
    ["lab/page.ts", 'import { gdn } from "../src/index.js";'],
    ["lab/page.ts", 'import { pagePolicy } from "../node/lab/page-policy.js";'],
    ["lab/page.ts", 'import { join } from "node:path";'],
    ["src/utils/helper.ts", "export const one = 1;"],
  ])("%s: %s", (filename, code) => {
    expect(complaints(filename, code)).toHaveLength(1);
  });

  test("with a sentence that says what would be right", () => {
    const [complaint] = complaints("src/patches/a.ts", 'import "../wavelets/b.js";');
    expect(complaint).toBe(
      "src/patches may not import src/wavelets: it may import src/errors.ts, src/numbers, " +
        "src/fourier, src/random, src/kernels, src/parallel, src/images, src/preprocessing.",
    );
  });
});

test("the project's configuration applies the rule to the core, the adapters and the shells", () => {
  const applied = config.filter((part) => part.rules?.["gaussianize/import-direction"] === "error");
  const folders = applied.flatMap((part) => part.files ?? []);
  expect(folders).toEqual(
    ["src", "node", "browser", "cli", "lab", "paper", "bench"].map((folder) => `${folder}/**`),
  );
});
