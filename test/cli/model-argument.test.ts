/** Every command that reads a model rejects files that are not models. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal, modelFolder, runCommand } from "../support/commands.js";

const { path, names } = await modelFolder();

beforeAll(async () => {
  await mkdir(path("folder"));
  const create = { width: 4, height: 4, channels: 3, background: "red" } as const;
  await sharp({ create }).png().toFile(path("picture.png"));
  await writeFile(path("empty"), "");
  const bytes = await readFile(path("gdn"));
  await writeFile(path("cut"), bytes.subarray(0, bytes.length - 100));
  await writeFile(path("beginning"), bytes.subarray(0, 100));
  const header = '{"weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}';
  const length = Buffer.alloc(8);
  length.writeUInt32LE(header.length);
  await writeFile(path("foreign"), Buffer.concat([length, Buffer.from(header), Buffer.alloc(4)]));
});

const lines = [
  { command: "inspect", flag: "-o", value: path("out.png") },
  { command: "verify", flag: "--workers", value: "0" },
  { command: "sample", flag: "-o", value: path("out.npz") },
  { command: "export", flag: "--npz", value: path("out.npz") },
];

describe.each(lines)("gaussianize $command", ({ command, flag, value }) => {
  test.each([
    ["missing", 1, "missing"],
    ["folder", 1, "folder"],
    ["picture.png", 1, "0x89 50 4e 47"],
    ["empty", 1, "8 bytes"],
    ["cut", 1, "cut"],
    ["beginning", 1, "92"],
    ["foreign", 1, "foreign: "],
    ["gdn/inside", 1, "inside"],
    ["a\nb", 1, String.raw`a\u000ab`],
  ] as const)("%j: code %i, %j, and nothing is written", async (file, code, what) => {
    const before = await names();
    const model = file === "gdn/inside" ? `${path("gdn")}/inside` : path(file);
    expectRefusal(await runCommand(command, model, flag, value), code, what);
    expect(await names()).toEqual(before);
  });

  test.each([
    [[], "missing required argument 'model'"],
    [[""], 'the argument model must be the name of a file; received ""'],
    [[path("gdn"), "--jsno"], "unknown option '--jsno'. Did you mean --json?"],
    [
      [path("gdn"), "--seed=-1x"],
      command === "inspect" || command === "export" ? "'--seed" : "--seed must be",
    ],
  ])("rejects %j with code 2", async (words, what) => {
    const before = await names();
    expectRefusal(await runCommand(command, ...words, flag, value), 2, what);
    expect(await names()).toEqual(before);
  });

  test("--help has examples", async () => {
    const { code, stdout, stderr } = await runCommand(command, "--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`\nExamples:\n  gaussianize ${command} gdn.safetensors`);
  });
});

describe("an output", () => {
  const outputs = lines.filter(({ command }) => command !== "verify");

  test.each(outputs)(
    "$command: must be in a folder that exists",
    async ({ command, flag, value }) => {
      const target = value.replace("out", "missing/out");
      const ran = await runCommand(command, path("gdn"), flag, target);
      expectRefusal(ran, 1, `Cannot write ${target}: there is no folder ${path("missing")}.`);
    },
  );

  test.each(outputs)(
    "$command: rejects an output inside a file",
    async ({ command, flag, value }) => {
      const target = value.replace("out", "empty/out");
      const ran = await runCommand(command, path("gdn"), flag, target);
      expectRefusal(ran, 1, `Cannot write ${target}: ${path("empty")} is not a folder.`);
    },
  );

  test.each(outputs)("$command: rejects a folder as output", async ({ command, flag, value }) => {
    const target = value.replace("out", "folder");
    await mkdir(target, { recursive: true });
    const ran = await runCommand(command, path("gdn"), flag, target);
    expectRefusal(ran, 1, `Cannot write ${target}`);
  });

  test.each(outputs)(
    "$command: must have a name that is not too long",
    async ({ command, flag, value }) => {
      const target = value.replace("out", "x".repeat(300));
      const ran = await runCommand(command, path("gdn"), flag, target);
      expectRefusal(ran, 1, "its name is too long");
    },
  );

  test.each(outputs)(
    "$command: rejects the model itself as output",
    async ({ command, flag, value }) => {
      const model = value.replace("out", "model");
      const bytes = await readFile(path("gdn"));
      await writeFile(model, bytes);
      expectRefusal(
        await runCommand(command, model, flag, model),
        2,
        `${model} is the model itself`,
      );
      expect(await readFile(model)).toEqual(bytes);
    },
  );

  test.each(outputs)("$command: rejects two outputs", async ({ command, flag, value }) => {
    const before = await names();
    const words = [flag, value, flag, value.replace("out", "second")];
    expectRefusal(await runCommand(command, path("gdn"), ...words), 2, "must be given once");
    expect(await names()).toEqual(before);
  });

  test.each(outputs)(
    "$command: rejects an output with another ending",
    async ({ command, flag }) => {
      for (const name of ["x.jpg", "x", "", "x.png/"]) {
        const ran = await runCommand(command, path("gdn"), flag, name);
        expectRefusal(ran, 2, `must be a file name that ends in .${flag === "-o" ? "png" : "npz"}`);
        expect(ran.stderr).toContain(`received "${name}"`);
      }
    },
  );
});
