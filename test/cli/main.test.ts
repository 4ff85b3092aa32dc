import { describe, expect, test } from "vitest";
import { commands, type CommandEntry } from "../../cli/commands.js";
import { run } from "../../cli/run.js";
import { UsageError, expected } from "../../src/errors.js";
import { recordEffects, type RecordedEffects } from "../support/commands.js";

let loadedNeighbour = false;

const registry: CommandEntry[] = [
  {
    name: "fit",
    summary: "fit a model",
    load: () =>
      Promise.resolve({
        configure(command, effects) {
          command
            .argument("<image>")
            .option("--patch-size <pixels>", "side of a patch", (text) => {
              if (/^\d+$/.test(text)) return Number(text);
              throw new UsageError(
                `--patch-size must be an integer from 2 to 32; received "${text}"`,
              );
            })
            .action((image: string, options: { patchSize?: number }) => {
              if (image === "broken.png") throw expected("the image", "be a picture", "noise");
              effects.stdout.write(`${image} ${options.patchSize ?? 16}\n`);
            });
        },
      }),
  },
  {
    name: "neighbour",
    summary: "a command that nobody calls",
    load: () => {
      loadedNeighbour = true;
      return Promise.resolve({ configure: () => undefined });
    },
  },
];

async function runLine(line: string): Promise<{ code: number } & RecordedEffects["printed"]> {
  const effects = recordEffects();
  const code = await run(line === "" ? [] : line.split(" "), effects, registry);
  return { code, ...effects.printed };
}

describe("a right command line", () => {
  test("--help lists every command on stdout without loading one", async () => {
    const { code, stdout, stderr } = await runLine("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Usage: gaussianize <command> [options]");
    expect(stdout).toContain("fit a model");
    expect(loadedNeighbour).toBe(false);
  });

  test("--version prints the version only", async () => {
    const { code, stdout } = await runLine("--version");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each(["fit --help", "help fit"])("%s shows the command's options", async (line) => {
    const { code, stdout } = await runLine(line);
    expect(code).toBe(0);
    expect(stdout).toContain("--patch-size <pixels>");
    expect(stdout).toContain("--debug");
  });

  test("runs the command with its options", async () => {
    expect(await runLine("fit a.png --patch-size 8")).toEqual({
      code: 0,
      stdout: "a.png 8\n",
      stderr: "",
    });
  });
});

describe("a wrong command line exits with code 2 and one line on stderr", () => {
  test.each([
    ["fti", "gaussianize: unknown command 'fti'. Did you mean fit? See \"gaussianize --help\".\n"],
    [
      "fit a.png --patchsize 8",
      "gaussianize fit: unknown option '--patchsize'. Did you mean --patch-size? See \"gaussianize fit --help\".\n",
    ],
    ["help fti", "gaussianize: unknown command 'fti'. See \"gaussianize --help\".\n"],
    ["--quiet", "gaussianize: unknown option '--quiet'. See \"gaussianize --help\".\n"],
    [
      "fit",
      "gaussianize fit: missing required argument 'image'. See \"gaussianize fit --help\".\n",
    ],
    [
      "fit a.png b.png",
      "gaussianize fit: too many arguments for 'fit'. Expected 1 argument but got 2. See \"gaussianize fit --help\".\n",
    ],
    [
      "fit a.png --patch-size 16x16",
      'gaussianize fit: --patch-size must be an integer from 2 to 32; received "16x16". See "gaussianize fit --help".\n',
    ],
  ])("%s", async (line, stderr) => {
    expect(await runLine(line)).toEqual({ code: 2, stdout: "", stderr });
  });

  test("shows the help on stderr without a command", async () => {
    const { code, stdout, stderr } = await runLine("");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: gaussianize");
  });
});

describe("a failure exits with code 1", () => {
  const sentence = 'gaussianize fit: Expected the image to be a picture but received "noise".\n';

  test("and one sentence", async () => {
    expect(await runLine("fit broken.png")).toEqual({ code: 1, stdout: "", stderr: sentence });
  });

  test("and a stack under --debug only", async () => {
    const { code, stderr } = await runLine("fit broken.png --debug");
    expect(code).toBe(1);
    expect(stderr.startsWith(sentence)).toBe(true);
    expect(stderr).toMatch(/\n {4}at /);
  });
});

describe("the real commands", () => {
  test("have different names and a summary each", () => {
    expect(new Set(commands.map((entry) => entry.name)).size).toBe(commands.length);
    expect(commands.every((entry) => entry.summary !== "")).toBe(true);
  });

  test("load and show their help", async () => {
    for (const { name } of commands) {
      const effects = recordEffects();
      expect(await run([name, "--help"], effects)).toBe(0);
      expect(effects.printed.stdout).toContain(`gaussianize ${name}`);
    }
  });

  test("reject an unknown name", async () => {
    const effects = recordEffects();
    expect(await run(["no-such-command"], effects)).toBe(2);
    expect(effects.printed.stderr).toContain("gaussianize");
  });
});
