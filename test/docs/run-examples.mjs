/**
 * Imports modules one after the other, and must then exit by itself:
 *
 *   node run-examples.mjs 0.mjs 1.mjs …
 *
 * Prints a line of JSON for each: its output, and its error.
 */
import { pathToFileURL } from "node:url";
import { format } from "node:util";

for (const path of process.argv.slice(2)) {
  let stdout = "";
  let error = "";
  console.log = (...words) => {
    stdout += `${format(...words)}\n`;
  };
  try {
    await import(pathToFileURL(path).href);
  } catch (thrown) {
    error = String(/** @type {Error} */ (thrown).stack);
  }
  process.stdout.write(`${JSON.stringify({ stdout, error })}\n`);
}
