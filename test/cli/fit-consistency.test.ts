import { access } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";

const fullPools = "--gradient probes is for --model gdn without --pool-rank; received";

test.each([
  [["--model", "ica-mg"], `${fullPools} --model ica-mg.`],
  [["--model", "rg"], `${fullPools} --model rg.`],
  [["--model", "gdn-general", "--certified"], `${fullPools} --model gdn-general.`],
  [["--pool-rank", "8"], `${fullPools} --pool-rank 8.`],
])("rejects --gradient probes with %j", async (options, sentence) => {
  const output = join(await temporaryFolder("fit-consistency"), "run");
  const line = ["fit", "--embedded", "--gradient", "probes", ...options, "-o", output];
  expect(await runCommand(...line)).toEqual({
    code: 2,
    stdout: "",
    stderr: `gaussianize fit: ${sentence} See "gaussianize fit --help".\n`,
  });
  await expect(access(output)).rejects.toThrow();
});
