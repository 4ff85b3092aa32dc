import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { contentOf, putFile, putSet, runData } from "../support/small-data-sets.js";

vi.mock("../../node/data-sums.js", () => import("../support/small-data-sets.js"));

const root = await mkdtemp(join(tmpdir(), "gaussianize-data-"));
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(root, "test-"));
});
afterAll(() => rm(root, { recursive: true }));

describe("gaussianize data list", () => {
  test.each([[[]], [["list"]]])("%j: lists sets with licence, page and presence", async (words) => {
    await putSet(folder, "kodak");
    await putFile(folder, "bsd68/1.png", contentOf("bsd68/1.png"));
    const { code, stdout, stderr } = await runData(folder, ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Data folder: ${folder}`);
    expect(stdout).toMatch(/^kodak: .*, 6 files, .* MB, present$/m);
    expect(stdout).toMatch(/^bsd68: .*, only 1 of 6 files present$/m);
    expect(stdout).toMatch(/^vanhateren: .*, not present$/m);
    expect(stdout).toContain('licence as stated: free download "for non-commercial research');
    expect(stdout).toContain("from https://www2.eecs.berkeley.edu/");
    // However long the path of the folder is.
    const lines = stdout.replaceAll(folder, "data").split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test("--json: prints the same for programs", async () => {
    await putSet(folder, "kodak");
    const { stdout } = await runData(folder, "--json");
    const result = JSON.parse(stdout) as { folder: string; sets: Record<string, unknown>[] };
    expect(result.folder).toBe(folder);
    expect(result.sets.map(({ name }) => name)).toEqual([
      "kodak",
      "bsds300",
      "bsd68",
      "vanhateren",
    ]);
    expect(result.sets[0]).toMatchObject({ files: 6, presentFiles: 6, present: true });
    expect(result.sets[1]).toMatchObject({ files: 12, presentFiles: 0, present: false });
  });
});

describe("gaussianize data verify", () => {
  test("names wrong files and exits with code 1", async () => {
    await putSet(folder, "kodak");
    const same = contentOf("kodak/2.png").map((value) => value ^ 1);
    await putFile(folder, "kodak/2.png", same);
    const { code, stdout, stderr } = await runData(folder, "verify");
    expect(code).toBe(1);
    expect(stdout).toContain("kodak/2.png: wrong SHA-256\nkodak: 5 of 6 files are right, 1 wrong");
    expect(stdout).toContain("bsd68: not present\n");
    expect(stderr).toBe(
      "gaussianize data: kodak/2.png is not what the publisher distributes; fetch again.\n",
    );
  });

  test("accepts a missing set unless it was named", async () => {
    await putSet(folder, "kodak");
    expect((await runData(folder, "verify")).code).toBe(0);
    const { code, stderr } = await runData(folder, "verify", "bsd68");
    expect(code).toBe(1);
    expect(stderr).toContain(`bsd68 is not in ${folder}: gaussianize data fetch bsd68, or --data.`);
  });

  test.each([[], ["kodak"], ["--json"]])(
    "exits with code 1 if its folder does not exist: %j",
    async (...words) => {
      const nowhere = join(folder, "nowhere");
      const { code, stdout, stderr } = await runData(nowhere, "verify", ...words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toBe(
        `gaussianize data: There is no folder ${nowhere}; fetch sets with "gaussianize data fetch <names>", or name their folder with --data.\n`,
      );
    },
  );

  test("exits with code 1 if there is nothing to verify, or the folder is a file", async () => {
    const empty = await runData(folder, "verify");
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain(`${folder} holds no set of photographs; fetch sets with`);
    await putFile(folder, "file", Buffer.of(1));
    const file = join(folder, "file");
    const ofFile = await runData(file, "verify");
    expect(ofFile).toEqual({
      code: 1,
      stdout: "",
      stderr: `gaussianize data: ${file} is a file, not a folder.\n`,
    });
  });

  test("--json lists the files", async () => {
    await putSet(folder, "bsd68");
    await rm(join(folder, "bsd68", "3.png"));
    const { code, stdout } = await runData(folder, "verify", "bsd68", "--json");
    expect(code).toBe(1);
    const { sets } = JSON.parse(stdout) as { sets: { missing: string[] }[] };
    expect(sets[0].missing).toEqual(["bsd68/3.png"]);
  });
});

describe("a wrong command line exits with code 2 and one sentence", () => {
  test.each([
    [["ftech"], "the argument names must be one of kodak, bsds300, bsd68, vanhateren"],
    [["fetch"], "missing required argument 'names'"],
    [["fetch", "kodack"], 'received "kodack"'],
    [["fetch", "kodak", "--from", "ftp://a/"], "--from must be an address that begins with http"],
    [["fetch", "kodak", "--from", "http://me:secret@a/"], "without a password"],
    [["list", "--data", ""], "--data must be the name of a folder"],
    [["list", "--data", "a", "--data", "b"], "--data must be given once"],
    [["verify", "--from", "http://a/"], "unknown option '--from'"],
  ])("%j", async (words, sentence) => {
    const { code, stdout, stderr } = await runData(folder, ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
