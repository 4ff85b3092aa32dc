/**
 * Stores guided densities with 16 bits a number, which halves the files:
 *
 *   node scripts/halve-priors.mjs priors/guided-*.safetensors
 *
 * A file that has 16 bits already keeps every bit.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { decodeGuided, encodeGuided } from "gaussianize/denoising";

for (const path of process.argv.slice(2)) {
  const { guided, about } = decodeGuided(readFileSync(path), path);
  writeFileSync(path, encodeGuided(guided, about, { isHalf: true }));
}
