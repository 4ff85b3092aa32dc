import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { modelArrays } from "../../src/density/model-files/model-arrays.js";
import type { NpyArray } from "../../src/density/model-files/npz.js";
import {
  type CommandModel,
  commandModels,
  expectRefusal,
  modelFolder,
  runCommand,
  runProcess,
} from "../support/commands.js";
import { readNpz } from "../support/python.js";

interface Printed {
  readonly model: string;
  readonly metadata: unknown;
  readonly arrays: readonly { name: string; shape: number[]; values: number[] | number[][] }[];
}

const { path, names } = await modelFolder();

describe("gaussianize export", () => {
  test.each(Object.keys(commandModels) as CommandModel[])(
    "writes all arrays of %s as the library gives them",
    async (name) => {
      const file = path(`${name}.npz`);
      const { code } = await runCommand("export", path(name), "--npz", file);
      expect(code).toBe(0);
      const written = readNpz(await readFile(file));
      const arrays = modelArrays(commandModels[name]);
      expect(Object.keys(written)).toEqual(Object.keys(arrays));
      for (const [key, array] of Object.entries(arrays)) {
        if (typeof array === "string") expect(written[key].text).toBe(array);
        else expect(written[key]).toMatchObject({ shape: array.shape, values: [...array.values] });
      }
    },
  );

  test("lists names and shapes on stdout, the rest on stderr", async () => {
    const file = path("gdn.npz");
    const { code, stdout, stderr } = await runProcess("export", path("gdn"), "--npz", file);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ +/))).toEqual([
      ["stages.0.scale", "16"],
      ["stages.0.shift", "16"],
      ["stages.1.H", "16×16"],
      ["stages.1.alpha", "16×16"],
      ["stages.1.gamma", "16×16"],
      ["stages.1.beta", "16"],
      ["stages.1.epsilon", "16"],
      ["metadata", "text"],
      [""],
    ]);
    expect(stderr).toBe(`Wrote ${file}: 8 arrays.\n`);
  });

  test("--json prints them", async () => {
    const file = path("json.npz");
    const { stdout } = await runCommand("export", path("radial"), "--npz", file, "--json");
    expect(JSON.parse(stdout)).toEqual({
      model: path("radial"),
      file,
      arrays: [
        { name: "stages.0.H", shape: [3, 3] },
        { name: "stages.0.alpha", shape: [3, 3] },
        { name: "stages.0.gamma", shape: [3, 3] },
        { name: "stages.0.beta", shape: [3] },
        { name: "stages.0.epsilon", shape: [3] },
        { name: "metadata", shape: [] },
      ],
    });
  });

  test.each(["gdn", "centred", "radial"] as const)(
    "--json without --npz prints all arrays of %s, and the metadata",
    async (name) => {
      const before = await names();
      const { code, stdout, stderr } = await runCommand("export", path(name), "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { metadata, ...arrays } = modelArrays(commandModels[name]);
      const printed = JSON.parse(stdout) as Printed;
      expect(printed.model).toBe(path(name));
      expect(printed.metadata).toEqual(JSON.parse(metadata as string));
      expect(printed.arrays.map(({ name }) => name)).toEqual(Object.keys(arrays));
      for (const { name, shape, values } of printed.arrays) {
        const array = arrays[name] as Exclude<NpyArray, string>;
        expect(shape).toEqual(array.shape);
        expect(values).toHaveLength(array.shape[0]);
        expect(values.flat()).toEqual([...array.values]);
      }
      expect(await names()).toEqual(before);
    },
  );

  test.each([
    [[], "Where should the arrays go? Give --npz <file>, or --json to print them."],
    [["--npz"], "argument missing"],
    [["--npz", path("gdn")], "--npz must be a file name that ends in .npz"],
    [["--npz", path("y.npz"), "extra"], "too many arguments"],
    [["--nzp", path("y.npz")], "Did you mean --npz?"],
  ])("rejects %j with code 2, and writes nothing", async (flags, what) => {
    const before = await names();
    expectRefusal(await runCommand("export", path("gdn"), ...flags), 2, what);
    expect(await names()).toEqual(before);
  });
});
