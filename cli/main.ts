#!/usr/bin/env node
import * as files from "node:fs/promises";
import type { Effects, Output } from "./effects.js";
import { run } from "./run.js";

function outputTo(stream: NodeJS.WriteStream): Output {
  // `gaussianize … | head` closes the pipe early: that is the reader's right, not a failure.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  return { write: (text) => stream.write(text), isTerminal: stream.isTTY };
}

const effects: Effects = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  now: () => performance.now(),
  environment: process.env,
  files,
};

// Setting the code, rather than exiting, lets pending output reach a pipe.
process.exitCode = await run(process.argv.slice(2), effects);
