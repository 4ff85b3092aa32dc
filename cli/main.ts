#!/usr/bin/env node
import type { Effects, Output } from "./effects.js";
import { run } from "./run.js";

function outputTo(stream: NodeJS.WriteStream): Output {
  // `gaussianize … | head` closes the pipe early: that is the reader's right, not a failure.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    process.stderr.write(`gaussianize: the output cannot be written (${error.message}).\n`);
    process.exit(1);
  });
  return { write: (text) => stream.write(text), isTerminal: stream.isTTY };
}

const effects: Effects = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  now: () => performance.now(),
  environment: process.env,
};

// Setting the code, rather than exiting, lets pending output reach a pipe.
process.exitCode = await run(process.argv.slice(2), effects);
