import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** A process that runs longer hangs. */
const limitInMilliseconds = 200_000;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runProgram(name: string, ...values: string[]): Promise<Ended> {
  const program = fileURLToPath(new URL(`./programs/${name}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...values], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitInMilliseconds,
    killSignal: "SIGKILL",
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (stdout += String(text)));
  child.stderr.on("data", (text: Buffer) => (stderr += String(text)));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
}

describe("a process ends by itself with code 0 and nothing on stderr", () => {
  test.concurrent.each([
    { how: "exit", phrase: "exit code 3" },
    { how: "throw", phrase: "out of the blue" },
    { how: "terminate", phrase: "exit code 1" },
    { how: "close", phrase: "closed" },
  ])("after a worker's death by $how", async ({ how, phrase }) => {
    const ended = await runProgram("lose-a-worker.mjs", how);
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(ended.stdout).toMatch(new RegExp(`^.*${phrase}.*\\n$`));
  });

  test.concurrent("when workers cannot start", async () => {
    const { code, signal, stdout, stderr } = await runProgram("lose-a-worker.mjs", "start");
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
    expect(stdout).toMatch(/^Worker [12] crashed: this module cannot be loaded\.\n$/);
  });

  test.concurrent.each(["0", "2"])("after close, with %s workers", async (workers) => {
    const ended = await runProgram("compute-and-close.mjs", workers);
    expect(ended).toEqual({ code: 0, signal: null, stdout: "1 -2 3\n", stderr: "" });
  });

  test.concurrent.each([
    { how: "awaited", workers: "2", answers: 1 },
    { how: "pending", workers: "0", answers: 1 },
    { how: "pending", workers: "2", answers: 1 },
    { how: "again", workers: "2", answers: 2 },
  ])(
    "with an open density, after its answers ($how, $workers workers)",
    async ({ how, workers, answers }) => {
      const ended = await runProgram("forget-a-density.mjs", how, workers);
      const stdout = "1048576 -0.9189\n".repeat(answers);
      expect(ended).toEqual({ code: 0, signal: null, stdout, stderr: "" });
    },
  );
});
