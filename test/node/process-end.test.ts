import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** A process that has not ended by then hangs. */
const limitInMilliseconds = 60_000;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runProgram(name: string, ...values: string[]): Promise<Ended> {
  const program = fileURLToPath(new URL(`../support/programs/${name}`, import.meta.url));
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
    { how: "exit", sentence: "Worker 1 ended unexpectedly with exit code 3." },
    { how: "throw", sentence: "Worker 1 crashed: out of the blue." },
    { how: "terminate", sentence: "Worker 1 ended unexpectedly with exit code 1." },
    { how: "close", sentence: "The worker pool was closed." },
  ])("after a worker's death by $how", { timeout: 90_000 }, async ({ how, sentence }) => {
    const ended = await runProgram("lose-a-worker.mjs", how);
    expect(ended).toEqual({ code: 0, signal: null, stdout: `${sentence}\n`, stderr: "" });
  });

  test.concurrent("when workers cannot start", { timeout: 90_000 }, async () => {
    const { code, signal, stdout, stderr } = await runProgram("lose-a-worker.mjs", "start");
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
    expect(stdout).toMatch(/^Worker [12] crashed: this module cannot be loaded\.\n$/);
  });

  test.concurrent.each(["0", "2"])(
    "after close, with %s workers",
    { timeout: 90_000 },
    async (workers) => {
      const ended = await runProgram("compute-and-close.mjs", workers);
      expect(ended).toEqual({ code: 0, signal: null, stdout: "1 -2 3\n", stderr: "" });
    },
  );
});
