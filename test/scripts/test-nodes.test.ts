import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test.each(["x", "20.1", "-1"])("npm run test:nodes rejects %j with exit code 2", (word) => {
  const words = ["scripts/test-nodes.mjs", word];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: "",
    stderr: `test:nodes: expected major versions of Node such as 24; received "${word}".\n`,
  });
});
