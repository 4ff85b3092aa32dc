#!/usr/bin/env node
import { spawn } from "node:child_process";
import { totalmem } from "node:os";
import type { Effects, Output } from "./effects.js";
import { run } from "./run.js";

function outputTo(stream: NodeJS.WriteStream): Output {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // mpirun closes its pipes before a fit has saved its last steps: a closed stderr is no reason
    // to stop.
    if (error.code === "EPIPE" && stream === process.stderr) return;
    // `gaussianize … | head` closes the pipe early.
    if (error.code === "EPIPE") process.exit();
    process.stderr.write(`gaussianize: cannot write the output (${error.message}).\n`);
    process.exit(1);
  });
  return {
    write: (text) => stream.write(text),
    // For a pipe, `isTTY` is undefined despite its type, and commander takes undefined for a
    // request to decide by itself.
    isTerminal: "isTTY" in stream && stream.isTTY,
    // A getter, since windows change their size.
    get columns() {
      return stream.columns;
    },
  };
}

/** Exit codes that shells use for programs ended by a signal. */
const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const;

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, code] of Object.entries(signalCodes)) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(code);
      controller.abort(Object.assign(new Error(`Interrupted by ${name}.`), { exitCode: code }));
    });
  }
  return controller.signal;
}

function later(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds).unref();
  return () => {
    clearTimeout(timer);
  };
}

/** The memory of the machine, or the limit of a container. */
function memory(): number {
  // Without a limit 0, a huge number, or in early versions of Node 20 undefined.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // `start` takes the first quoted word for the title of a window, hence the empty text.
  win32: ["cmd", "/c", "start", '""'],
};

/** An opener that still runs after this time has not failed. */
const millisecondsToFail = 3000;

function browse(address: string): Promise<boolean> {
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
    const timer = setTimeout(resolve, millisecondsToFail, true);
    const settle = (isShown: boolean): void => {
      clearTimeout(timer);
      resolve(isShown);
    };
    child.once("error", () => {
      settle(false);
    });
    child.once("exit", (code) => {
      settle(code === 0);
    });
    child.unref();
  });
}

const effects: Effects = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  now: () => performance.now(),
  later,
  environment: process.env,
  interruption,
  browse,
  memory,
};

// Setting the code instead of exiting lets pending output reach a pipe.
process.exitCode = await run(process.argv.slice(2), effects);
