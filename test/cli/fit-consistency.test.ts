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

test.each([
  [["--couplings", "8"], "--couplings is for several --layers; received --layers 1."],
  [
    ["--couplings", "-1", "--layers", "2"],
    `--couplings must be a whole number from 0 to 1024, in digits; received "-1".`,
  ],
  [
    ["--couplings", "8", "--cascade", "small"],
    "--couplings is for patches; --cascade small fits whole images.",
  ],
  [
    ["--symmetric", "--cascade", "small"],
    "--symmetric is for patches; --cascade small fits whole images.",
  ],
  [
    ["--symmetric", "--distributed", "mpi"],
    "--symmetric is for one process; received --distributed mpi.",
  ],
  [
    ["--components", "2", "--distributed", "mpi"],
    "--components 2 is for one process; received --distributed mpi.",
  ],
  [
    ["--components", "0"],
    '--components must be a whole number from 1 to 64, in digits; received "0".',
  ],
  [
    ["--components", "2", "--cascade", "small"],
    "--components is for patches; --cascade small fits whole images.",
  ],
  [
    ["--components", "2", "--layers", "2", "--greedy", "0.5"],
    "--greedy cannot be combined with --components 2 and several --layers: such a fit trains the first layers alone, and then all. Omit --greedy.",
  ],
  [
    ["--symmetric", "--layers", "2", "--patience", "3"],
    "--patience cannot be combined with --symmetric and several --layers: such a fit trains the first layers alone, and then all. Omit --patience.",
  ],
])("rejects %j", async (options, sentence) => {
  const output = join(await temporaryFolder("fit-consistency"), "run");
  expect(await runCommand("fit", "--embedded", ...options, "-o", output)).toEqual({
    code: 2,
    stdout: "",
    stderr: `gaussianize fit: ${sentence} See "gaussianize fit --help".\n`,
  });
});
