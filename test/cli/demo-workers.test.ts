import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";

const folder = await temporaryFolder("demo-workers");

interface DemoResult {
  readonly results: readonly { readonly seconds: number }[];
  readonly denoising: object;
}

/** Everything that must not depend on the number of workers. */
async function shortRun(workers: number) {
  const model = join(folder, `${workers}.safetensors`);
  const { code, stdout, stderr } = await runProcess(
    ...["demo", "--json", "--steps", "30", "--workers", String(workers)],
    ...["-o", join(folder, `${workers}.html`), "--save", model],
  );
  expect(code, stderr).toBe(0);
  const { results, denoising } = JSON.parse(stdout) as DemoResult;
  const numbers = results.map((result) => ({ ...result, seconds: result.seconds > 0 }));
  return { numbers, denoising, model: await readFile(model) };
}

test("the demo gives the same numbers and the same model with 1 and 2 workers", async () => {
  expect(await shortRun(2)).toEqual(await shortRun(1));
}, 180_000);
