/**
 * Stores guided densities with 16 bits a number, which halves the files:
 *
 *   node scripts/halve-priors.mjs priors/guided-*.safetensors
 *
 * A file that has 16 bits already keeps every bit.
 */
import { readGuided, writeGuided } from "gaussianize/node";

for (const path of process.argv.slice(2)) {
  const { guided, about } = await readGuided(path);
  await writeGuided(path, guided, about, { isHalf: true });
}
