#!/usr/bin/env node
import type { Effects, Output } from "./effects.js";
import { browse } from "./browse.js";
import { run } from "./run.js";

function outputTo(stream: NodeJS.WriteStream): Output {
  // `gaussianize … | head` closes the pipe early: that is the reader's right, not a failure.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Remarks that nobody reads are no reason to stop: mpirun closes its pipes before a fit has
    // kept its last steps.
    if (error.code === "EPIPE" && stream === process.stderr) return;
    if (error.code === "EPIPE") process.exit();
    process.stderr.write(`gaussianize: the output cannot be written (${error.message}).\n`);
    process.exit(1);
  });
  return {
    write: (text) => stream.write(text),
    // Of a pipe it is undefined, whatever its type says; and undefined asks for the colours that CI
    // has by default.
    isTerminal: "isTTY" in stream && stream.isTTY,
    // Asked for each time: windows change their size.
    get columns() {
      return stream.columns;
    },
  };
}

/** Exit codes are those that shells use for programs that a signal ended. */
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

const effects: Effects = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  now: () => performance.now(),
  later,
  environment: process.env,
  interruption,
  browse,
};

// Setting the code, rather than exiting, lets pending output reach a pipe.
process.exitCode = await run(process.argv.slice(2), effects);
